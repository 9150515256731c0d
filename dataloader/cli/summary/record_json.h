// A record as JSON. A tf.Example is an object of its features, each a list; a tf.SequenceExample has `context` and
// `feature_lists`; any other record is `{"data": ...}`. docs/reference/data.md describes the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/records/example_walk.h"

namespace carrack::data::cli {

// A name for JSON, which holds UTF-8 alone: other bytes are escaped as printable() does. name_json() adds the quotes.
std::string readable_name(std::string_view name);
std::string name_json(std::string_view name);

// The whole record on one line; nothing is cut. Bytes that are no text are `{"base64": ...}`. `walker` is scratch
// memory; its earlier use makes no difference.
std::string record_json(std::span<const std::byte> record, ExampleWalker& walker);

// For people: the members of an object, each feature on a line of its own, indented by two. Long lists and strings are
// cut, and images are described.
std::string record_text(std::span<const std::byte> record, ExampleWalker& walker);

// The first `values_max` values of one feature as a list, for people.
std::string values_text(const ValuesView& values, std::size_t values_max);

}  // namespace carrack::data::cli
