// Converts the statistics of a job's data to initial values of its model. Pure.
#pragma once

#include "trainer/checkpoint/statistics.h"
#include "trainer/models/model.h"

namespace carrack::train {

// True if the statistics are for exactly the layers, features and columns that the model standardizes, in its order.
bool fit(const checkpoint::Statistics& statistics, const ModelGraph& model);

// Returns the values by tensor: `layer/mean` and `layer/deviation` of each layer.
ValuesOfData values_of(const checkpoint::Statistics& statistics);

}  // namespace carrack::train
