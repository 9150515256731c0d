// The `data.features` of a job's manifest for records with these features, ready to paste. Pure.
#pragma once

#include <string>

#include "dataloader/cli/summary/summary.h"

namespace carrack::data::cli {

// YAML. For each feature that a manifest cannot name, or that is one too many for a manifest, there is a comment at the
// end, which says why.
std::string manifest_features(const Summary& summary);

}  // namespace carrack::data::cli
