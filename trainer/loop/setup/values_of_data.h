// The statistics of a job's data as initial values of its model. Pure.
#pragma once

#include "trainer/checkpoint/statistics.h"
#include "trainer/models/model.h"

namespace carrack::train {

// Whether they are of exactly these layers, features and columns.
bool fit(const checkpoint::Statistics& statistics, const ModelGraph& model);

// By tensor: `layer/mean` and `layer/deviation` of each layer.
ValuesOfData values_of(const checkpoint::Statistics& statistics);

}  // namespace carrack::train
