// Passes columns of a batch to an executor, which computes a model, or to the user's program (library/carrack.cc),
// without copying them. All results are views
// (spans): they are valid as long as the column.
#pragma once

#include <cstddef>

#include "dataloader/pipeline/rows/rows.h"
#include "trainer/execution/executor.h"

namespace carrack::train {

// Returns a view of the column, which must have float32 or int64 values.
FeatureValues feature_values(const data::NamedColumn& column);

// Returns a view of `count` values, from the value with index `begin` on.
FeatureValues part_of(const FeatureValues& values, std::size_t begin, std::size_t count);

// Returns a view of the values of the rows `rows`. Each row has `row_size` values.
FeatureValues rows_of(const FeatureValues& values, data::Range rows, std::size_t row_size);

}  // namespace carrack::train
