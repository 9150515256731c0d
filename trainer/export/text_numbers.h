// Converts features of type text to numbers in an exported TensorFlow graph, so that it has the numbers with which the
// model was trained (docs/formats/text_ids.md). With 2 buckets and the words "red" and "blue", "red" -> 2, "blue" -> 3,
// and other strings -> 0 or 1, by their hash.
#pragma once

#include <string>

#include "trainer/export/graph_builder.h"
#include "trainer/launch/config.h"

namespace carrack::train::tf {

// Appends nodes that convert `strings`, an output of the graph, to the feature's numbers as int64, in the same shape.
// Returns their output. If the feature has no buckets, a string that is not one of its words becomes -1, which GatherV2
// refuses on CPUs.
std::string text_numbers(const Feature& feature, const std::string& strings, GraphBuilder& to);

}  // namespace carrack::train::tf
