// Makes the initial values of layers of kind Standardize, which subtract the mean of the training data and divide by
// its standard deviation, from the statistics of the data (loop/data/statistics.h). Pure functions.
#pragma once

#include "trainer/checkpoint/statistics.h"
#include "trainer/models/model.h"

namespace carrack::train {

// True if the statistics are for exactly the layers, features and numbers of columns that the model standardizes, in
// the same order. Does not compare Statistics::order, which identifies the data.
bool matches_model(const checkpoint::Statistics& statistics, const ModelGraph& model);

// Returns the values of the tensors `layer/mean` and `layer/deviation` of each layer, one value for each column.
ValuesOfData values_from_statistics(const checkpoint::Statistics& statistics);

}  // namespace carrack::train
