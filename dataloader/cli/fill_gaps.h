// Fills the gaps of columns (--fill): rows without a value get one, as no job trains on a record that lacks a feature.
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

// Makes a data set of these columns of the files.
using OpenColumns = std::function<Dataset(const std::vector<Feature>&)>;

// Gives each column that --fill names the value for rows that have none; call it after resolve_joins(). A mean or
// median is that of the values of all rows that can be used, in their order, so it does not depend on the number of
// threads; an inferred int64 becomes float32 for a mean. A median of many numbers is approximate (quantiles.h). Returns
// a sentence for each column: "lot: 12 missing, filled with 3.5". To find these, and to count what `convert` fills, it
// reads all columns of all files, of `bytes` together (0: unknown), as a row may be left out for what another column
// holds. Throws Refused for values that do not fit. The texts of the request must outlive the columns.
std::vector<std::string> apply_fills(const Request& request, const Storages& storages, std::uint64_t bytes,
                                     const OpenColumns& open, std::vector<InferredColumn>& columns);

}  // namespace carrack::data::cli
