// Columns as tf.Examples, as any reader of those expects them. row_examples.h writes Examples for snapshots instead,
// from which all columns can be restored.
#pragma once

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// Replaces the columns by one, "record": each row as an Example with a feature for each column, without features for
// empty lists. The function throws an Error for columns of lists of lists.
RowsFunction write_examples();

}  // namespace carrack::data
