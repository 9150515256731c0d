// The logs of a run on this machine: the folder `logs` has a file for each process start.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/launch/member.h"

namespace carrack::control {

struct LogFile {
  std::string process;  // its name; the file is NAME.log
  std::string path;
  train::Member member;
  train::Fence fence;
};

// Those of the run in this folder, by member and start. Files of other names are left out. Empty if there are none.
std::vector<LogFile> log_files(const std::string& folder);

// What the process printed last, from the last 2 KiB of its log, without the lines that its logger wrote.
std::string last_words(const std::string& log);

// Reads a file that grows. Lines are passed on once they are complete; of one longer than 1 MiB each MiB is a line.
class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}

  // Skips all but the last `lines` lines.
  void skip_to_last(int lines);
  // Calls on_line with each line that was completed since the last call, without its line break. Throws Error if the
  // file cannot be read.
  void read(const std::function<void(std::string_view)>& on_line);
  // Calls on_line with what stands behind the last line break, if anything does: no more will come.
  void finish(const std::function<void(std::string_view)>& on_line);

 private:
  const std::string path_;
  std::int64_t offset_ = 0;
  std::string partial_;
};

}  // namespace carrack::control
