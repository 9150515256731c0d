// What the members of JSON lines hold, judged by the first lines, and which of them decided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/records/example.h"

namespace carrack::data {

struct JsonType {
  std::string name;
  // bytes of strings, int64 of whole numbers and truth values, float32 where any number is none of those; also bytes
  // where nothing was seen but null and empty arrays.
  Dtype dtype = Dtype::bytes;
  std::string decided;    // the value that did; empty where there was none
  std::uint64_t row = 0;  // its line
  // The first value that this dtype cannot hold: a string among numbers, a number among strings, a whole number beyond
  // 64 bits where all others are whole.
  std::optional<Corrupt> conflict = {};
  // The first that it holds and no feature can, in words: "an object". Empty where there is none.
  std::string unheld = {};

  // It holds nothing else.
  bool is_left_out() const { return decided.empty() && !unheld.empty(); }
  bool operator==(const JsonType&) const = default;
};

// Of the first `most` lines that are objects, in the order in which the members come; or what is wrong with the file.
// What is none is left to whoever reads it.
std::variant<std::vector<JsonType>, Corrupt> types_of_json_lines(const ByteSource& file, std::uint64_t most);

// `member "x" is float: row 17 holds 1.5`, or `member "x" holds an object, which no feature can; it is left out`.
std::string text(const JsonType& type);

}  // namespace carrack::data
