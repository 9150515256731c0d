// Makes the initial values of layers of kind Standardize, which subtract the mean of the training data and divide by
// its standard deviation, from the statistics of the data (loop/data/statistics.h). Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/checkpoint/statistics.h"
#include "trainer/models/model.h"

namespace carrack::train {

// Returns Statistics::order for the statistics of a job. It begins with `order`, the order of the job's data, and also
// identifies what else the values of the standardized features depend on: the seed, by which images are cropped and a
// shuffle before a `take` selects records, and the settings of these features, such as the values of black and white.
// Without them a job whose manifest was changed before its first commit, or that replaces another one, would use the
// statistics of other values.
std::string order_of_statistics(const std::string& order, const ModelGraph& model, std::int64_t seed);

// True if the statistics are for exactly the layers, features and numbers of columns that the model standardizes, in
// the same order. Does not compare Statistics::order.
bool matches_model(const checkpoint::Statistics& statistics, const ModelGraph& model);

// Returns the values of the tensors `layer/mean` and `layer/deviation` of each layer, one value for each column.
ValuesOfData values_from_statistics(const checkpoint::Statistics& statistics);

}  // namespace carrack::train
