// Finds, from the manifest alone, in which pieces the records of an epoch are read from their files. Pure.
#pragma once

#include <string>
#include <vector>

#include "trainer/launch/config.h"

namespace carrack::train {

// Returns true for a URL of another scheme than file://, and false for a path. Judges by the text, so it needs no
// Storages.
bool is_remote(const std::string& url);

// Returns whether the name ends in .gz or .zlib.
bool is_named_compressed(const std::string& url);

// How files are read: from beginning to end, in runs (neighbouring records together, the runs in any order), or each
// record separately. Each kind takes more requests than the previous kind.
enum class Pieces { whole_files, runs, records };

struct ReadSet {
  std::string field;           // the path of the set in the manifest: "spec.data.train" or "spec.data.train.mix[0]"
  bool is_remote = false;      // true if any file, or the snapshot's folder, is remote
  bool is_compressed = false;  // true if any name ends in .gz or .zlib; files may be compressed under any name
  Pieces pieces = Pieces::whole_files;
  std::int64_t run_records = 0;  // the number of records in a run of Pieces::runs; 0: as many as fill 4 MiB
};

// Returns how each set of files is read, in the order of the manifest. If its stages have a snapshot, the result
// describes the reads of the snapshot's files, because the files before the snapshot are read only once.
std::vector<ReadSet> read_sets(const Data& data);

// Returns whether a job may start before its files have an index, with a first pass, in which each lane reads files of
// its own. Judges only by the manifest.
bool allows_first_pass(const Config& config);

// Returns whether each lane of a batch has records of its own, if all files have an index. Otherwise any worker may
// compute any record of a batch.
bool has_lanes_with_own_records(const Config& config);

}  // namespace carrack::train
