// Implements --fill: a row without a value in a column gets one, because a job cannot train on a record that lacks a
// feature.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dataloader/cli/join_columns.h"
#include "dataloader/cli/request.h"
#include "dataloader/pipeline/dataset.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

// Returns a data set that reads these columns of the files. Called at most once, on the calling thread.
using OpenColumns = std::function<Dataset(const std::vector<Feature>&)>;

// Sets the default value of each column that --fill names, and makes it a column of one value. Call it after
// resolve_joins(). A mean or median is computed from all rows that can be used; it does not depend on the number of
// threads. A median of many numbers is approximate (quantiles.h). For a mean, a column of inferred int64 becomes
// float32.
//
// For `convert`, and if any value is a mean or median, it reads all columns of all files once, because a fault in any
// column makes a row unusable. It then returns a sentence for each filled column: "lot: 12 missing, filled with 3.5".
// Otherwise it reads nothing and returns an empty list. `bytes` is the size of the files for the progress bar; 0:
// unknown. Throws Refused for a column that does not exist or cannot be filled, and for a value that does not fit its
// column. The default values of the columns point into `request`, which must outlive them.
std::vector<std::string> apply_fills(const Request& request, const Storages& storages, std::uint64_t bytes,
                                     const OpenColumns& open, std::vector<InferredColumn>& columns);

}  // namespace carrack::data::cli
