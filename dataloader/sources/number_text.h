// Numbers as text, read as TensorFlow reads them, independent of the locale. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carrack::data {

// Digits with an optional sign. nullopt for other text, and for a number beyond 64 bits.
std::optional<std::int64_t> int_in(std::string_view text);
// The nearest float; inf for numbers beyond the largest. Also reads `nan`, `inf` and `infinity`, in any case.
std::optional<float> float_in(std::string_view text);

// The nearest double; nullopt for other text, and for a number that is too large or too close to 0.
std::optional<double> double_in(std::string_view text);

// True for digits with an optional sign, however many.
bool is_whole_number(std::string_view text);

// The shortest text that reads back to the same number.
std::string exact_text(double number);

}  // namespace carrack::data
