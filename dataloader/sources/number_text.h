// Numbers that are written as text, whatever the locale is, as TensorFlow reads them, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carrack::data {

// Digits with a sign or none. Nothing where it is no such number, or is one beyond 64 bits.
std::optional<std::int64_t> int_in(std::string_view text);
// Also `nan`, `inf` and `infinity`, in any case. The nearest float: inf beyond the largest.
std::optional<float> float_in(std::string_view text);

// Digits with a sign or none, however many.
bool is_whole_number(std::string_view text);

// The shortest text that reads back to the same number.
std::string exact_text(double number);

// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace carrack::data
