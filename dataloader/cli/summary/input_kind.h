// What a file holds, judged by its name alone. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace carrack::data::cli {

enum class InputKind : std::uint8_t { records, csv, json_lines, arrays, program };

// The kind that the ending of the name says, as .csv or .jsonl.gz; records for any other name. Never a program.
InputKind input_kind(std::string_view file);

// "TFRecords", "CSV", ...
std::string_view name_of(InputKind kind);

}  // namespace carrack::data::cli
