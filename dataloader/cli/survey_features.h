// Finds the features of the records in some files, for `carrack init`, which writes a manifest for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/cli/summary/manifest_features.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

struct RecordsFound {
  std::vector<FoundFeature> features;  // in the order of found_features()
  std::uint64_t records = 0;           // the number of records that were read
  bool are_all = true;                 // false if the files have more records
};

// Reads the first records of each file, at most about a million records and 1 GB in all, and returns their features. If
// the part of a file is shorter than its first record, reads the whole record, unless an earlier file has one.
// `names` are names and patterns as users type them; there must be at least one. Throws Refused for a name that matches
// no file, for a file that holds no records (if it can be converted, the message has the command), for damage, and if
// no record is a tf.Example or tf.SequenceExample. Throws Error if storage fails.
RecordsFound survey_features(const std::vector<std::string>& names, const Storages& storages);

}  // namespace carrack::data::cli
