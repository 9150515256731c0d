// Finds, by the manifest alone, in which pieces the records of an epoch are read from their files. Pure.
#pragma once

#include <string>
#include <vector>

#include "trainer/launch/config.h"

namespace carrack::train {

// True for a URL of another scheme than file://. Judges by the text, so it needs no Storages.
bool is_remote(const std::string& url);

// True if the name ends in .gz or .zlib.
bool is_named_compressed(const std::string& url);

// Files are read from beginning to end, in runs (neighbouring records together, the runs in any order), or each record
// by itself. Each kind takes more requests than the one before.
enum class Pieces { whole_files, runs, records };

struct ReadSet {
  std::string field;  // "spec.data.train" or "spec.data.train.mix[0]"
  bool is_remote = false;
  bool is_compressed = false;  // by the endings of names; files may be compressed under any name
  Pieces pieces = Pieces::whole_files;
  std::int64_t run_records = 0;  // records in a run; 0: as many as fill 4 MiB
};

// Returns how each set of files is read, in the order of the manifest. If its stages have a snapshot, the result
// describes the reads of the snapshot's files, because the files before it are read only once.
std::vector<ReadSet> read_sets(const Data& data);

// Returns whether a job may start before its files have an index, with a first pass, in which each lane reads files of
// its own.
bool allows_first_pass(const Config& config);

// Returns whether each lane of a batch has records of its own, if all files have an index. Otherwise any worker may
// compute any record of a batch.
bool has_lanes_with_own_records(const Config& config);

}  // namespace carrack::train
