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

// Makes a name UTF-8, which JSON requires: if it is not, it is escaped as printable() does.
std::string readable_name(std::string_view name);
// readable_name() as a JSON string with its quotes.
std::string name_json(std::string_view name);

// The whole record on one line without a line break; nothing is cut. Bytes that are not text are `{"base64": ...}`.
// `walker` is scratch memory, which is overwritten.
std::string record_json(std::span<const std::byte> record, ExampleWalker& walker);

// The record for people: the members of a JSON object, without its braces and indented by two, each feature on a line
// of its own. Long lists and strings are cut, and images are described. `walker` is overwritten.
std::string record_text(std::span<const std::byte> record, ExampleWalker& walker);

// The first `values_max` values of one feature as a list, for people; the list says how many more there are.
std::string values_text(const ValuesView& values, std::size_t values_max);

}  // namespace carrack::data::cli
