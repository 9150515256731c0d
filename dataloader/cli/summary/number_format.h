// Numbers as text, for reports and JSON; dataloader/text.h has more. Pure functions.
#pragma once

#include <cstdint>
#include <string>

namespace carrack::data::cli {

// Returns at most four significant digits: 0.3333, 12, 1.5e+09.
std::string short_number(double number);
// Returns one digit after the point: 0.3, 12.0.
std::string with_one_decimal(double number);
// Returns the bytes per second: "410.0 MB/s". Counts less than a millisecond as a millisecond.
std::string format_rate(std::uint64_t bytes, double seconds);
// Returns the number with a comma between groups of three digits: "-1,234,567".
std::string whole_number(std::int64_t number);

// Returns the shortest JSON that reads as the same number, always with a point or an exponent: 0.1, 2.0, 1e+30. NaN and
// infinities are strings, as in protobuf's JSON: "NaN", "Infinity".
std::string json_number(float number);

}  // namespace carrack::data::cli
