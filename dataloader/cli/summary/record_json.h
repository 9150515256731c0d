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

// Returns the name; if it is not UTF-8, which JSON requires, returns printable(name).
std::string readable_name(std::string_view name);
// Returns readable_name() as a JSON string with its quotes.
std::string name_json(std::string_view name);

// Returns the complete record as JSON, in one line without a line break; nothing is shortened. Bytes that are not text
// are `{"base64": ...}`. `walker` is scratch memory, which is overwritten.
std::string record_json(std::span<const std::byte> record, ExampleWalker& walker);

// Returns human-readable text: the members of a JSON object, without its braces and indented by two, each feature on a
// line of its own. Long lists and strings are shortened, and images are described instead of shown. `walker` is scratch
// memory, which is overwritten.
std::string record_text(std::span<const std::byte> record, ExampleWalker& walker);

// Returns the first `values_max` values of a feature as a human-readable list, which says how many more values there
// are.
std::string values_text(const ValuesView& values, std::size_t values_max);

}  // namespace carrack::data::cli
