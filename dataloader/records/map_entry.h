// Parses one entry of the map<string, Feature> in a serialized tf.Example, or of the map<string, FeatureList> in a
// tf.SequenceExample: a name and the serialized Feature or FeatureList. For ExampleMap and ExampleWalker.
#pragma once

#include <cstddef>
#include <string_view>

#include "dataloader/records/wire.h"

namespace carrack::data {

struct MapEntry {
  std::string_view name;
  wire::View value;                      // the serialized Feature or FeatureList; empty if the entry has none
  const std::byte* malformed = nullptr;  // where the first malformed field begins; nullptr if there is none
};

// Parses a serialized entry, without the tag and length before it. The result points into `message`. The last one of
// several names or values counts. The name of an entry without a name is empty. Stops at a malformed field.
MapEntry map_entry_in(wire::View message);

}  // namespace carrack::data
