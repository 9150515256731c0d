// Implements --fill of `carrack data convert`, `bench` and `explain`. With --fill age=30,height=mean, a row of CSV or
// JSON lines without an age gets 30, and a row without a height gets the mean of the other heights. A job cannot train
// on a record that lacks a feature.
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

// Returns a data set that reads these columns of the files. apply_fills() calls it at most once, on the thread of
// its caller.
using OpenColumns = std::function<Dataset(const std::vector<Feature>&)>;

// Changes each column in `columns` that --fill names: sets Feature::default_values, and makes it a column of exactly
// one value in each row. Call it after resolve_joins(), and then read the files with the changed columns. The default
// values point into `request`, which must outlive them.
//
// If `convert` has any --fill, and for other commands if any value is a mean or median, it reads all columns of all
// files once, because a fault in any column makes a row unusable. It then returns a sentence for the user about each
// filled column: "lot: 12 missing, filled with 3.5". Otherwise it reads nothing and returns an empty list. `bytes` is
// the size of the files for the progress bar; 0: unknown.
//
// A mean or median is computed from all rows that can be used; it does not depend on the number of threads. A median of
// many numbers is approximate (quantiles.h). For a mean, a column of inferred int64 becomes float32. Throws Refused for
// a column that does not exist or cannot be filled, and for a value that does not fit its column.
std::vector<std::string> apply_fills(const Request& request, const Storages& storages, std::uint64_t bytes,
                                     const OpenColumns& open, std::vector<InferredColumn>& columns);

}  // namespace carrack::data::cli
