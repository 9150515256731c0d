// Prints the log lines of several members (processes of a job) to standard output, each after the name of its member,
// for `carrack logs`. Safe for several threads. Throws nothing if a write fails: see is_closed().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dataloader/mutex.h"

namespace carrack::control {

class LogPrinter {
 public:
  // Shorter names are padded to `width` characters; longer ones are not cut.
  explicit LogPrinter(std::size_t width) : width_(width) {}

  // Prints the line "worker-1 | TEXT" and flushes it. `text` must have no line break. It is escaped, and shortened if
  // it has more than 4 KiB, by printable().
  void line(std::string_view name, std::string_view text) EXCLUDES(mutex_);
  // Prints "worker-1 | -- TEXT": a remark of this program about the process, not a line of its log. The lines of `text`
  // are joined by " | ".
  void note(std::string_view name, const std::string& text);

  // True once standard output is a pipe that nobody reads any more, or a write has failed.
  bool is_closed() const EXCLUDES(mutex_);

 private:
  const std::size_t width_;
  mutable Mutex mutex_;
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace carrack::control
