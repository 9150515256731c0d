// Finds the record of a batch that a model cannot use, and names it in messages.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "dataloader/pipeline/lanes/batches.h"
#include "dataloader/storage/storages.h"

namespace carrack::train {

// Returns "x.tfrecord: record 3 at byte 96"; "record 3 of the batch" if the row comes from no file.
std::string name_of_record(const data::Batch& batch, std::size_t row);

// Returns the column of a feature in which a row has a bad value: " in column 3", or " in column 3 (age)" if a file
// next to the records has the names of the feature's columns. `column` counts from 0, and `columns` is the number of
// the feature's values. Empty for a feature with a single column without a name.
std::string place_in_feature(const data::Rows& rows, std::size_t row, const std::string& feature, std::size_t column,
                             std::size_t columns, const data::Storages& storages);

// Returns a single row for which `is_good` returns false, found by halving `rows`, for which it must return false, too.
// Returns an empty range if `is_good` is false only for several rows together.
data::Range find_bad_row(data::Range rows, const std::function<bool(data::Range)>& is_good);

// Calls `compute` with the rows. If it throws an Error with Blame::user, calls it again with parts of the rows to find
// a single record that causes the error, and throws that record's error with the name of the record in front. If there
// is no such record, throws the first error. Other errors pass through.
void compute_naming_record(const data::Batch& batch, data::Range rows, const std::function<void(data::Range)>& compute);

}  // namespace carrack::train
