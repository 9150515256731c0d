// The logs of a run on this machine. The folder `logs` of the run has a file for each process that was started.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/launch/member.h"

namespace carrack::control {

struct LogFile {
  std::string process;  // the name of the process: that of the file without ".log"
  std::string path;
  train::Member member;
  train::Fence fence;
};

// Returns the logs of the run in `folder`, ordered by member, attempt and incarnation. Skips files whose names are not
// those of logs. Empty if the folder cannot be read.
std::vector<LogFile> log_files(const std::string& folder);

// Returns what the process printed last, from the last 2 KiB of its log, without log lines (see log_line.h). `log` is
// the path of the log. Empty if it cannot be read.
std::string last_words(const std::string& log);

// Reads a file that grows, from its beginning. It must not shrink. Lines are passed on once they are complete; a line
// longer than 1 MiB is passed on in pieces of about 1 MiB. All callbacks are called on the calling thread. They must
// not be empty; if one throws, lines may be lost.
class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}

  // Makes the first read() begin with the last `lines` lines, of which the last may be incomplete. `lines` must be at
  // least 1. Call this before read(). Throws Error with Blame::platform if the file cannot be read.
  void skip_to_last(int lines);
  // Calls on_line with each line that was completed since the last call, without its line break. Throws Error with
  // Blame::platform if the file cannot be read.
  void read(const std::function<void(std::string_view)>& on_line);
  // Calls on_line with what read() has found after the last line break, if it is not empty. Call this after the last
  // read().
  void finish(const std::function<void(std::string_view)>& on_line);

 private:
  const std::string path_;
  std::int64_t offset_ = 0;
  std::string partial_;
};

}  // namespace carrack::control
