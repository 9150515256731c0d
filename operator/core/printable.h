// Makes untrusted text (manifests, logs of processes, messages of the scheduler, bodies of replies) safe to show in a
// condition, an event, a log or a terminal: its control characters are escaped, and its length is bounded. Pure.
#pragma once

#include <string>
#include <string_view>

namespace carrack::control {

// Writes control characters, except line ends and tabs, as \x1b. If the result is longer than 4 KiB, it keeps only the
// first and the last 1 KiB.
std::string printable(std::string_view text);

// As above, but shortens the text to at most `bytes_max` bytes, which must be at least 100.
std::string printable(std::string_view text, std::size_t bytes_max);

// As printable(text), as one line: the lines are joined by " | ", without blank lines and without blanks at the ends of
// lines.
std::string printable_joined(std::string_view text);

// As printable(text), but line ends and tabs are written as \x0a and \x09 too: for one line of a log.
std::string printable_line(std::string_view text);

}  // namespace carrack::control
