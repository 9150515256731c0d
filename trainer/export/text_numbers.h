// Features of type text in TensorFlow's graph: docs/formats/text_ids.md.
#pragma once

#include <string>

#include "trainer/export/graph_builder.h"
#include "trainer/launch/config.h"

namespace carrack::train::tf {

// Appends the numbers, as int64, of strings of the feature. Without buckets, a string that is none of its words becomes
// -1, which GatherV2 refuses on CPUs.
std::string text_numbers(const Feature& feature, const std::string& strings, GraphBuilder& to);

}  // namespace carrack::train::tf
