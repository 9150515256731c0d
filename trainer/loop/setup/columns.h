// Turns records into what a model reads: one column of numbers for each feature of the manifest. Numbers are parsed
// from the tf.Example, images are decoded to pixels, and strings become ids. The result is the same in every process of
// a job. Also converts settings of the manifest to those of the dataloader. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/stages/order_stages.h"
#include "dataloader/records/example.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// Returns the feature as a record stores it, for the dataloader's parser: an image is one string of bytes, and a text
// feature has strings.
data::Feature data_feature(const Feature& feature);

// Returns a function that replaces the column `record` of its rows (serialized tf.Examples) by a column for each of the
// features, in their order. A row that cannot be used, such as one that lacks a feature or has a damaged image, is
// moved to rows.lost. Random crops and mirroring of an image depend only on `seed`, the feature's name and the row's
// place (its number in the epoch, and the epoch). Several threads may call the function at the same time.
data::RowsFunction columns_of(const std::vector<Feature>& features, std::int64_t seed);

// Convert a setting of the manifest to the same setting of the dataloader. data_shuffle() does not set the seed.
data::OnDamage data_on_damage(OnDamage on_damage);
data::Shuffle data_shuffle(const Shuffle& shuffle);

}  // namespace carrack::train
