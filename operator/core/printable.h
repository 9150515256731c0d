// Makes text of others (manifests, logs of processes, messages of the scheduler, bodies of replies) safe to show: in a
// condition, an event, a log or on a terminal it moves no cursor, and it is bounded.
#pragma once

#include <string>
#include <string_view>

namespace carrack::control {

// Writes control characters, except line ends and tabs, as \x1b. Of more than 4 KiB it keeps the beginning and the end.
// Text that is printable already is returned unchanged.
std::string printable(std::string_view text);

// The same, but of more than `bytes_max`, which are at least 100, it keeps so much that the result has no more.
std::string printable(std::string_view text, std::size_t bytes_max);

// As the first, with its lines joined by " | ", without blank lines and the blanks around each: for the words of others
// in a message, which is one line.
std::string printable_joined(std::string_view text);

// As the first, with line ends and tabs as \x0a and \x09 too: for a line of a log.
std::string printable_line(std::string_view text);

}  // namespace carrack::control
