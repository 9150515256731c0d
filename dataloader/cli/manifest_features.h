// What a manifest says of the features that records were found to have: `data.features`, ready to paste. Pure.
#pragma once

#include <string>

#include "dataloader/cli/summary.h"

namespace carrack::data::cli {

// In YAML. A feature that a manifest cannot name as it is has a comment in its place, which says why.
std::string manifest_features(const Summary& summary);

}  // namespace carrack::data::cli
