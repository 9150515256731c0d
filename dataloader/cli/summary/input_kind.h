// Recognizes what an input of a command holds, by the file's name alone. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace carrack::data::cli {

enum class InputKind : std::uint8_t {
  records,     // TFRecords: any name that is not one of the following
  csv,         // .csv and .tsv, also with .gz
  json_lines,  // .jsonl and .ndjson, also with .gz
  arrays,      // .npy and .npz: numpy's arrays
  program      // the output of a program, 'exec:PROGRAM'
};

// Returns the kind by the ending of the name or URL, which must be in lower case; `records` for any other name, even
// for X.CSV. Never returns `program`: the command line decides that (Request::reads_program).
InputKind input_kind(std::string_view file);

// Returns the name for messages: "TFRecords", "CSV", "JSON lines", "arrays" or "what a program prints".
std::string_view name_of(InputKind kind);

}  // namespace carrack::data::cli
