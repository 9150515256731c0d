// Finds, from the manifest alone, how the records of an epoch are read from their files: in large or in small requests.
// `carrack plan` prints the number of requests to remote storage, and the division of batches among workers depends on
// it. Also says whether a job may begin with a first pass. Pure.
#pragma once

#include <string>
#include <vector>

#include "trainer/launch/config.h"

namespace carrack::train {

// Returns true for a URL such as "gs://bucket/x", and false for a path and for a file:// URL. Looks only at the text.
bool is_remote(const std::string& url);

// Returns whether the name ends in .gz or .zlib. Compressed files may have other names, too.
bool is_named_compressed(const std::string& url);

// What a request reads. Each kind needs more requests than the previous one.
enum class Pieces {
  whole_files,  // files are read from beginning to end
  runs,         // neighbouring records together, and the runs in any order: a block shuffle
  records,      // each record separately: a full shuffle
};

// How one set of files is read.
struct ReadSet {
  std::string field;           // the path of the set in the manifest: "spec.data.train" or "spec.data.train.mix[0]"
  bool is_remote = false;      // true if any file or, with a snapshot, its folder is remote
  bool is_compressed = false;  // true if any name ends in .gz or .zlib; files may be compressed under any name
  Pieces pieces = Pieces::whole_files;
  std::int64_t run_records = 0;  // the number of records in a run of Pieces::runs; 0: as many as fill 4 MiB
};

// Returns how each set of files is read, in the order of the manifest. If its stages have a snapshot, the result
// describes the reads of the snapshot's files, because the files before the snapshot are read only once.
std::vector<ReadSet> read_sets(const Data& data);

// Returns whether the manifest allows that a job starts before its files have an index, with a first pass: an epoch in
// which each lane (a fixed share of every batch) reads whole files of its own. Whether it does so depends on the files.
bool allows_first_pass(const Config& config);

// Returns whether workers of a Sync job get whole lanes of a batch, if all files have an index. True with
// `deterministic`, and if any set is read in runs: each lane then reads runs of its own. Otherwise a batch can be
// divided among workers in any way.
bool has_lanes_with_own_records(const Config& config);

}  // namespace carrack::train
