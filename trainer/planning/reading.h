// In which pieces the records of an epoch are read from their files, by the stages of the manifest. Pure.
#pragma once

#include <string>
#include <vector>

#include "trainer/launch/config.h"

namespace carrack::train {

// Whether a path or URL is behind a network.
bool is_remote(const std::string& url);

// Whether a name says that the file is compressed.
bool is_named_compressed(const std::string& url);

enum class Pieces { whole_files, runs, records };

struct ReadSet {
  std::string field;  // "spec.data.train" or "spec.data.train.mix[0]"
  bool is_remote = false;
  bool is_compressed = false;  // by the endings of names; files may be compressed under any name
  Pieces pieces = Pieces::whole_files;
  std::int64_t run_records = 0;  // in a run; 0: as many as fill 4 MiB
};

// In the order of the manifest. Stages that write a snapshot are not counted: that is done once.
std::vector<ReadSet> read_sets(const Data& data);

// Whether a job whose files have no index may start before they have one: it then reads each lane from files of its
// own.
bool allows_first_pass(const Config& config);

// Whether each lane of a batch has records of its own, if all files have an index. Otherwise any worker may compute any
// record of a batch.
bool has_lanes_with_own_records(const Config& config);

}  // namespace carrack::train
