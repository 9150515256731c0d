// Numbers and bytes in words and in JSON. Whatever bytes a file holds, what comes out of here moves no cursor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace carrack::data::cli {

// 1,234,567
std::string counted(std::uint64_t number);
// "1 record", "1,234 records"
std::string counted(std::uint64_t number, const std::string& noun);
// "312 bytes", "3.1 kB", "4.2 GB": of 1,000 each.
std::string size_text(std::uint64_t bytes);
// Four digits of it that count: 0.3333, 12, 1.5e+09.
std::string short_number(double number);
// "-1,234,567"
std::string whole_number(std::int64_t number);

// UTF-8, of any characters.
bool is_utf8(std::string_view bytes);
// UTF-8 that a person reads: no control characters but ends of lines and tabs.
bool is_text(std::string_view bytes);

// As JSON has it; the bytes are UTF-8.
std::string quoted(std::string_view text);
// Bytes as a person is shown them: text as it is, anything else as \x1b. Ends of lines too.
std::string printable(std::string_view bytes);
std::string base64(std::string_view bytes);

// The shortest text that reads as the same number, and never as a whole one: 0.1, 2.0, 1e+30. What is not finite is
// a string, as protobuf's JSON has it: "NaN", "Infinity".
std::string json_number(float number);

// Of the words that are known, the one that is nearest, as a question; else all of them.
std::string nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace carrack::data::cli
