// Finds and reads the logs of a `carrack run`, for `carrack logs` and (last_words()) for Child. The folder `logs` in
// the folder of the run has a file for each process that was started.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/launch/member.h"

namespace carrack::control {

struct LogFile {
  std::string process;  // name of the process, such as digits-x1y2z-worker-1-0-2: that of the file without ".log"
  std::string path;
  train::Member member;
  train::Fence fence;
};

// Returns the logs of the run in `folder` (the folder of the run, not its `logs`), ordered by member, then by attempt
// and incarnation, so the newest process of a member is its last. Skips other files. Empty if the folder cannot be
// read.
std::vector<LogFile> log_files(const std::string& folder);

// Returns what a process printed last, such as a stack trace or an error message: the last 2 KiB of its log, without
// the log lines of Carrack (trainer/launch/log_line.h). `log` is the path of the log. Empty if it cannot be read.
std::string last_words(const std::string& log);

// Reads the lines of a file to which another process appends, like `tail -f`: each read() continues where the last one
// ended. The file must not shrink. A line is passed on once it is complete; a line longer than 1 MiB is passed on in
// pieces of about 1 MiB. All callbacks are called on the calling thread. They must not be empty; if one throws, lines
// may be lost. A line that a callback gets is valid only during the call. Not thread-safe.
class GrowingFile {
 public:
  // Opens nothing; each read() opens the file.
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}

  // Makes the first read() begin with the last `lines` lines; an incomplete last line counts as one. `lines` must be at
  // least 1. Call this before read(). Throws Error with Blame::platform if the file cannot be read.
  void skip_to_last(int lines);
  // Calls on_line with each line that was completed since the last call, without its line break, and returns at the end
  // of the file. Does not wait for more. Throws Error with Blame::platform if the file cannot be read.
  void read(const std::function<void(std::string_view)>& on_line);
  // Calls on_line with the incomplete last line, if there is one. Call this after the last read(), when nothing writes
  // to the file any more.
  void finish(const std::function<void(std::string_view)>& on_line);

 private:
  const std::string path_;
  std::int64_t offset_ = 0;
  std::string partial_;
};

}  // namespace carrack::control
