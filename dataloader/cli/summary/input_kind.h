// Recognizes what an input of a command holds, by the file's name alone. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace carrack::data::cli {

enum class InputKind : std::uint8_t { records, csv, json_lines, arrays, program };

// The kind by the ending of the name, such as .csv or .jsonl.gz; `records` for any other name. Never `program`.
InputKind input_kind(std::string_view file);

// For messages: "TFRecords", "CSV", ...
std::string_view name_of(InputKind kind);

}  // namespace carrack::data::cli
