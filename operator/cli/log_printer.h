// Prints lines of several members to standard output, each after the name of its member. Safe for several threads.
// Throws nothing if a write fails: see is_closed().
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

  // Prints "worker-1 | TEXT" without buffering it, with control characters escaped.
  void line(std::string_view name, std::string_view text) EXCLUDES(mutex_);
  // Prints "worker-1 | -- TEXT" for a text about the process, which may have several lines.
  void note(std::string_view name, const std::string& text);

  // True once standard output is a pipe that nobody reads any more, or a write has failed.
  bool is_closed() const EXCLUDES(mutex_);

 private:
  const std::size_t width_;
  mutable Mutex mutex_;
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace carrack::control
