// From columns to tf.Examples: what parsing them would give again.
#pragma once

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// Replaces the columns by one, "record": each row as an Example with a feature for each column, but for lists that are
// empty. Throws an Error for lists of lists.
RowsFunction write_examples();

}  // namespace carrack::data
