// Columns of rows as inputs of an executor. The results are views: they are valid as long as the column.
#pragma once

#include <cstddef>

#include "dataloader/pipeline/rows/rows.h"
#include "trainer/execution/executor.h"

namespace carrack::train {

// Returns a view of the column, which must have float32 or int64 values.
FeatureValues feature_values(const data::NamedColumn& column);

// Returns the `count` values from value `begin` on.
FeatureValues part_of(const FeatureValues& values, std::size_t begin, std::size_t count);

// Returns the values of some rows, each of which has `row_size` values.
FeatureValues rows_of(const FeatureValues& values, data::Range rows, std::size_t row_size);

}  // namespace carrack::train
