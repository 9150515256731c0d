// One entry of a map in a tf.Example or tf.SequenceExample: a name and its Feature or FeatureList.
#pragma once

#include <cstddef>
#include <string_view>

#include "dataloader/records/wire.h"

namespace carrack::data {

struct MapEntry {
  std::string_view name;
  wire::View value;                      // empty if the entry has none
  const std::byte* malformed = nullptr;  // where the first malformed field begins; nullptr if there is none
};

// Parses an encoded entry. The result points into `message`. Of several names or values the last one counts. If a field
// is malformed, the fields after it are not read.
MapEntry map_entry_in(wire::View message);

}  // namespace carrack::data
