// The logs of a run on this machine: the folder `logs` has a file for each process start.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/launch/member.h"

namespace carrack::control {

struct LogFile {
  std::string process;  // its name: that of the file without ".log"
  std::string path;
  train::Member member;
  train::Fence fence;
};

// Returns the logs of the run in `folder`, ordered by member, attempt and incarnation. Skips files with other names.
// Empty if the folder cannot be read.
std::vector<LogFile> log_files(const std::string& folder);

// What the process printed last, from the last 2 KiB of its log, without log lines (see log_line.h). `log` is the path;
// empty if the file cannot be read.
std::string last_words(const std::string& log);

// Reads a file that grows. Lines are passed on once they are complete; a line longer than 1 MiB is passed on in pieces
// of about 1 MiB.
class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}

  // Makes the first read() begin with the last `lines` lines, at least 1. Throws Error if the file cannot be read.
  void skip_to_last(int lines);
  // Calls on_line with each line that was completed since the last call, without its line break. Throws Error if the
  // file cannot be read.
  void read(const std::function<void(std::string_view)>& on_line);
  // Calls on_line with what follows the last line break, if it is not empty. Call it when the file grows no more.
  void finish(const std::function<void(std::string_view)>& on_line);

 private:
  const std::string path_;
  std::int64_t offset_ = 0;
  std::string partial_;
};

}  // namespace carrack::control
