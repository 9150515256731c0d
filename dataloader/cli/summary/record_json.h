// Formats a record as JSON: complete for programs (`carrack data head --json`, JSON lines of `convert`), or shortened
// for people (`head`, the examples of `inspect`). A tf.Example is an object with a list for each feature: {"age": [30],
// "name": ["Ada"]}. A tf.SequenceExample is {"context": {...}, "feature_lists": {...}}. Any other record is {"data":
// ...}. docs/reference/data.md describes the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/records/example_walk.h"

namespace carrack::data::cli {

// Returns the name of a feature or file for JSON, which requires UTF-8: the name itself, or printable(name) (text.h) if
// it is not UTF-8.
std::string readable_name(std::string_view name);
// Returns readable_name() as a JSON string with its quotes.
std::string name_json(std::string_view name);

// Returns the complete record as JSON, in one line without a line break at its end. Bytes that are not text are
// {"base64": "..."}. `walker` is scratch memory, which is overwritten.
std::string record_json(std::span<const std::byte> record, ExampleWalker& walker);

// Returns the record for people: the members of a JSON object, without its braces and indented by two, each feature on
// a line of its own. Long lists and strings are shortened, and an image is "JPEG 500x375, 20,000 bytes". `walker` is
// scratch memory, which is overwritten.
std::string record_text(std::span<const std::byte> record, ExampleWalker& walker);

// Returns the first `values_max` values of a feature for people: [1, 2, 3, "... 7 more"]. Strings are shortened as in
// record_text().
std::string values_text(const ValuesView& values, std::size_t values_max);

}  // namespace carrack::data::cli
