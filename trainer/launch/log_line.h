// Marks the log lines of a trainer process, to distinguish them from its last error message. Kubernetes passes on the
// end of a container's log as the pod's termination message. The operator, and `carrack run` for its log files, remove
// the marked lines from it. The job's condition shows the rest as the reason why the process ended.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carrack::train {

// The maximum size in bytes of a termination message; of a longer log, Kubernetes passes on the end.
inline constexpr std::size_t termination_message_max = 2048;

// Returns `text` as one marked line: log_line("saved\nstep 5") -> "log: saved step 5". Adds no line break at the end.
std::string log_line(std::string_view text);

// Returns `printed`, the end of a process's output, without the marked lines and without spaces and line breaks at the
// end: without_log_lines("log: a\nout of memory\nlog: b\n") -> "out of memory". Empty if nothing else is there. If
// `printed` has at least termination_message_max bytes, its first line may have lost its beginning. It is removed, too,
// unless it is the only line.
std::string without_log_lines(std::string_view printed);

}  // namespace carrack::train
