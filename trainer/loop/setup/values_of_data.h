// Converts the statistics of a job's data to initial values of its model. Pure.
#pragma once

#include "trainer/checkpoint/statistics.h"
#include "trainer/models/model.h"

namespace carrack::train {

// True if they are for exactly the layers, features and columns that the model standardizes.
bool fit(const checkpoint::Statistics& statistics, const ModelGraph& model);

// By tensor: `layer/mean` and `layer/deviation` of each layer.
ValuesOfData values_of(const checkpoint::Statistics& statistics);

}  // namespace carrack::train
