// How the features of a record become columns of numbers: parsed as they are, decoded from images, or looked up as ids
// of text. The result is the same in every process of a job. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/stages/order_stages.h"
#include "dataloader/records/example.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// Returns the feature as a record stores it: an image is one string of bytes, a text feature has strings.
data::Feature data_feature(const Feature& feature);

// Returns a function that replaces the column `record` by a column for each feature, in their order. It leaves out rows
// that lack a feature. Random changes of an image depend only on the seed and on the row's position in its epoch.
// Several threads may call the function at the same time.
data::RowsFunction columns_of(const std::vector<Feature>& features, std::int64_t seed);

// These convert settings of the manifest. data_shuffle() does not set the seed.
data::OnDamage data_on_damage(OnDamage on_damage);
data::Shuffle data_shuffle(const Shuffle& shuffle);

}  // namespace carrack::train
