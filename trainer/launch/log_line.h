// Marks what a trainer process prints as log, so that the operator can tell log lines from an error message. Everything
// that a process prints without the mark is the reason for its end, which the job's condition shows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carrack::train {

// Kubernetes passes on at most this many bytes of what a container printed last.
inline constexpr std::size_t termination_message_max = 2048;

// `text` as one marked line, without a line break at its end. Line breaks in it become blanks.
std::string log_line(std::string_view text);

// Removes the marked lines, and blanks at the end. `printed` is the end of a process's output. If it is as long as
// termination_message_max, its first line may be incomplete and is removed, too, unless it is the only one.
std::string without_log_lines(std::string_view printed);

}  // namespace carrack::train
