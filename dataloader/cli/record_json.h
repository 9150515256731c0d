// A record as JSON. A tf.Example is one object of its features, each a list; a tf.SequenceExample has `context` and
// `feature_lists`; any other record is `{"data": ...}`. Bytes are a string where a person reads them, else
// `{"base64": ...}`; for a person they are shown instead, and what is long is cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "dataloader/records/example_walk.h"

namespace carrack::data::cli {

// The whole record on one line. The walker is one that was used before, or new.
std::string record_json(std::span<const std::byte> record, ExampleWalker& walker);

// For a person: the members of an object, each feature on a line, indented by two.
std::string record_text(std::span<const std::byte> record, ExampleWalker& walker);

// The values of one feature as a list; for a person no more than `most`.
std::string values_text(const ValuesView& values, std::size_t most);

}  // namespace carrack::data::cli
