// Finds the record of a batch that makes a computation fail, such as a label that is out of range, and names it in the
// error: "x.tfrecord: record 3 at byte 96: ...".
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "dataloader/pipeline/lanes/batches.h"
#include "dataloader/storage/storages.h"

namespace carrack::train {

// Returns where a row of batch.rows comes from: "x.tfrecord: record 3 at byte 96". If the batch does not have that,
// returns the number of the row in the whole batch: "record 3 of the batch".
std::string name_of_record(const data::Batch& batch, std::size_t row);

// Returns the part of a message that names the column of a feature in which a row has a bad value:
// - " in column 3", where `column` is 3, counted from 0;
// - " in column 3 (age)" if a file next to the data file has names for the feature's columns and can be read;
// - "" for a feature with a single column without a name.
// `columns` is the number of the feature's values.
std::string column_text(const data::Rows& rows, std::size_t row, const std::string& feature, std::size_t column,
                        std::size_t columns, const data::Storages& storages);

// Returns a range of one row for which `is_good` returns false. Finds it by halving `rows`, with a number of calls that
// grows as log2 of the number of rows. is_good(rows) must be false. Returns an empty range if `rows` is empty, or if
// the search ends at a row for which `is_good` returns true, because only several rows together are bad.
data::Range find_bad_row(data::Range rows, const std::function<bool(data::Range)>& is_good);

// Calls compute(rows). If it throws an Error with Blame::user, calls it again with parts of the rows, to find a single
// row that causes the error, and throws that row's error, with name_of_record() in front of its text. If there is no
// such row, throws the first error. Other exceptions pass through.
void compute_naming_record(const data::Batch& batch, data::Range rows, const std::function<void(data::Range)>& compute);

}  // namespace carrack::train
