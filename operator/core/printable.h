// Makes untrusted text (manifests, logs of processes, messages of the scheduler, bodies of replies) safe to show in a
// condition, an event, a log or a terminal: escapes its control characters, and bounds its length. Pure.
#pragma once

#include <string>
#include <string_view>

namespace carrack::control {

// Returns `text` with its control characters escaped, such as \x1b, except newlines and tabs. Bytes that are not UTF-8
// stay. If the result is longer than 4 KiB, only its first and last 1 KiB remain, with " ... 9000 bytes left out ... "
// between them.
std::string printable(std::string_view text);

// Escapes like printable(text), but returns at most `bytes_max` bytes: the middle of a longer result is left out.
// `bytes_max` must be at least 100.
std::string printable(std::string_view text, std::size_t bytes_max);

// Returns the lines of `text` as one: "a\n\n  b\n" -> "a | b". Escapes and shortens like printable(text).
std::string printable_joined(std::string_view text);

// Escapes and shortens like printable(text), but escapes line ends and tabs too (\x0a, \x09): for one line of a log.
std::string printable_line(std::string_view text);

}  // namespace carrack::control
