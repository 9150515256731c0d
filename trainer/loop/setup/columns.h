// What a record's features become, for every reader of a job alike: a column of numbers each, parsed as they are or
// decoded from encoded images.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/records/example.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// As records are asked for it: of an image for its bytes.
data::Feature data_feature(const Feature& feature);

// Makes them of the column `record`, in the order of the features. Rows that do not give them are lost. What is drawn
// of an image is a function of the seed and of the row's place in its epoch.
data::RowsFunction columns_of(const std::vector<Feature>& features, std::int64_t seed);

}  // namespace carrack::train
