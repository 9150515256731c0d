// Marks what a trainer process prints as log, so that the operator can tell log lines from an error message. Whatever a
// process prints without the mark is the reason for its end, which the job's condition shows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carrack::train {

// The maximum number of bytes of a container's last output that Kubernetes passes on.
inline constexpr std::size_t termination_message_max = 2048;

// Returns `text` as one marked line, without a line break at its end. Line breaks in it become spaces.
std::string log_line(std::string_view text);

// Removes the marked lines, and spaces and line breaks at the end. `printed` is the end of a process's output. If it
// has at least termination_message_max bytes, its first line may be incomplete and is removed, too, unless it is the
// only line.
std::string without_log_lines(std::string_view printed);

}  // namespace carrack::train
