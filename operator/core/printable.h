// Makes untrusted text (manifests, logs of processes, messages of the scheduler, bodies of replies) safe to show in a
// condition, an event, a log or a terminal: its control characters are escaped, and its length is bounded. Pure.
#pragma once

#include <string>
#include <string_view>

namespace carrack::control {

// Returns `text`, taken as UTF-8, with its control characters escaped like \x1b, except line ends and tabs. If the
// result is longer than 4 KiB, only its first and last 1 KiB remain, with a remark between them.
std::string printable(std::string_view text);

// Escapes like printable(text), but removes the middle of a result that is longer than `bytes_max` bytes. `bytes_max`
// must be at least 100.
std::string printable(std::string_view text, std::size_t bytes_max);

// Returns the lines of `text` joined by " | ", without blank lines and without blanks around each line, and escaped and
// shortened like printable(text).
std::string printable_joined(std::string_view text);

// Escapes and shortens like printable(text), but escapes line ends and tabs too (\x0a, \x09): for one line of a log.
std::string printable_line(std::string_view text);

}  // namespace carrack::control
