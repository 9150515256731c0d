// StrangerLog: logs connections that an endpoint has closed, most of them because the other side is a stranger: it has
// not proven that it is a member of this job. Also logs failures of TLS and of shared memory. Any process that reaches
// the port can cause such lines, so at most one line a minute is written, with the number of lines that were left out.
// Thread-safe.
//
//   a connection was closed: 10.0.0.7 has been silent (and 12 more since the last line)
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "dataloader/mutex.h"

namespace carrack::train {

class StrangerLog {
 public:
  using Write = std::function<void(const std::string&)>;
  // The minimum time between two lines.
  static constexpr auto pause = std::chrono::minutes(1);

  // `write` gets each line. It must not be empty. Its calls do not overlap, and it must not call this object.
  explicit StrangerLog(Write write) : write_(std::move(write)) {}

  // Logs `what`, a clause about the connection, or only counts it if a line was written less than `pause` ago.
  void note(const std::string& what, std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now())
      EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (written_at_ && now < *written_at_ + pause) {
      ++left_out_;
      return;
    }
    const std::string others =
        left_out_ == 0 ? "" : " (and " + std::to_string(left_out_) + " more since the last line)";
    write_("a connection was closed: " + what + others);
    written_at_ = now;
    left_out_ = 0;
  }

 private:
  const Write write_;
  Mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> written_at_ GUARDED_BY(mutex_);
  std::uint64_t left_out_ GUARDED_BY(mutex_) = 0;
};

}  // namespace carrack::train
