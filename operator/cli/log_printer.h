// Prints lines of several members, each behind the name of its member. Safe for several threads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dataloader/mutex.h"

namespace carrack::control {

class LogPrinter {
 public:
  // Names are padded to `width`.
  explicit LogPrinter(std::size_t width) : width_(width) {}

  // "worker-1 | TEXT", with characters that would move the cursor of a terminal escaped.
  void line(std::string_view name, std::string_view text) EXCLUDES(mutex_);
  // "worker-1 | -- TEXT": about the process, not of it.
  void note(std::string_view name, const std::string& text);

  // True once nobody reads standard output any more.
  bool is_closed() const EXCLUDES(mutex_);

 private:
  const std::size_t width_;
  mutable Mutex mutex_;
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace carrack::control
