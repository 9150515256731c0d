// Finds the record of a batch that a model cannot use, and names it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "dataloader/pipeline/lanes/batches.h"
#include "dataloader/storage/storages.h"

namespace carrack::train {

// "x.tfrecord: record 3 at byte 96", or "record 3 of the batch" if the row comes from no file.
std::string name_of_record(const data::Batch& batch, std::size_t row);

// " in column 3", or " in column 3 (age)" if a file beside the records has the names of the feature's columns: which of
// the `columns` values of the feature it is. Empty for the only one without a name.
std::string place_in_feature(const data::Rows& rows, std::size_t row, const std::string& feature, std::size_t column,
                             std::size_t columns, const data::Storages& storages);

// Halves the rows, of which `is_good` says false, until it finds a row of which alone it says false, too; empty if only
// several together are not good.
data::Range find_bad_row(data::Range rows, const std::function<bool(data::Range)>& is_good);

// Calls `compute` with the rows. If it throws an Error for the user, that error begins with the name of the record for
// which it is thrown, as far as there is a single one; `compute` is then called again with parts of the rows.
void compute_naming_record(const data::Batch& batch, data::Range rows, const std::function<void(data::Range)>& compute);

}  // namespace carrack::train
