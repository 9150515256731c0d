// How a trainer process marks what it prints as log, so that the operator can tell log lines from an error message. All
// that a process prints without the mark is the reason for its end, which the job's condition shows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carrack::train {

// Kubernetes passes on at most this many bytes of what a container printed last.
inline constexpr std::size_t termination_message_max = 2048;

// `text` on one marked line, without a line break at its end.
std::string log_line(std::string_view text);

// `printed` without the marked lines and without blanks at its end. `printed` is the end of a process's output; if it
// is as long as a termination message can be, its first line may be incomplete and is left out, unless it is the only
// one.
std::string without_log_lines(std::string_view printed);

}  // namespace carrack::train
