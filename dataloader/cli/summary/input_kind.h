// Recognizes what an input of a command holds, by the file's name alone. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace carrack::data::cli {

enum class InputKind : std::uint8_t { records, csv, json_lines, arrays, program };

// Returns the kind by the ending of the name, such as .csv or .jsonl.gz, in lower case; `records` for any other name.
// Never returns `program`.
InputKind input_kind(std::string_view file);

// Returns the name for messages: "TFRecords", "CSV", ...
std::string_view name_of(InputKind kind);

}  // namespace carrack::data::cli
