// How the features of a record become columns of numbers: parsed as they are, decoded from images, or looked up as ids
// of text. The same in every process of a job.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/stages/order_stages.h"
#include "dataloader/records/example.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// Returns the feature as a record stores it: an image is one string of bytes.
data::Feature data_feature(const Feature& feature);

// Returns a function that replaces the column `record` by a column for each feature, in their order. Rows that lack a
// feature are left out. Random changes of an image depend only on the seed and on the row's position in its epoch.
data::RowsFunction columns_of(const std::vector<Feature>& features, std::int64_t seed);

data::OnDamage data_on_damage(OnDamage on_damage);
data::Shuffle data_shuffle(const Shuffle& shuffle);

}  // namespace carrack::train
