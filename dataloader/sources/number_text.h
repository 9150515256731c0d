// Parses the numbers in data files, such as the fields of CSV, as TensorFlow does and independent of the locale. All of
// the text must be the number. Unlike number_in() (text.h), these functions allow blanks and tabs at both ends, and a
// plus sign. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carrack::data {

// Reads a whole decimal number. Returns nullopt for other text, also for "1.0" and an empty text, and for a number that
// does not fit.
std::optional<std::int64_t> int_in(std::string_view text);
// Returns the nearest float: infinity, with the sign, for a number that is too large, and 0 for a number that is too
// close to 0. Also reads `nan`, `inf` and `infinity`, in upper or lower case. Returns nullopt for other text.
std::optional<float> float_in(std::string_view text);

// Returns the nearest double. Reads the same texts as float_in(), but returns nullopt for a number that is too large or
// too close to 0.
std::optional<double> double_in(std::string_view text);

// True for one or more digits with an optional sign, also for a number beyond 64 bits.
bool is_whole_number(std::string_view text);

// Returns the shortest text from which double_in() returns the same number.
std::string exact_text(double number);

}  // namespace carrack::data
