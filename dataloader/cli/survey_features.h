// What the records of some files have, for `carrack init`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/cli/summary/manifest_features.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

struct RecordsFound {
  std::vector<FoundFeature> features;  // in the order of their names
  std::uint64_t records = 0;           // that were read
  bool are_all = true;                 // false: the files have more
};

// Reads up to a million records, of a GB in all. `names` are names and patterns as users type them. Throws Refused for
// one that matches no file, and for a file that holds no records, with the command that converts it if there is one.
RecordsFound survey_features(const std::vector<std::string>& names, const Storages& storages);

}  // namespace carrack::data::cli
