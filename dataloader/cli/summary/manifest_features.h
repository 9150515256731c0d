// The `data.features` of a job's manifest for records with these features, ready to paste. Pure.
#pragma once

#include <string>

#include "dataloader/cli/summary/summary.h"

namespace carrack::data::cli {

// YAML. In place of a feature that a manifest cannot name there is a comment that says why.
std::string manifest_features(const Summary& summary);

}  // namespace carrack::data::cli
