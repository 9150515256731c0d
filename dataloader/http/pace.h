// Pace: detects a connection that is too slow, such as fewer than 64 KiB in a minute, although it is never silent for
// long enough to time out. Reads no clock and closes nothing: the caller, Socket, passes the time, and ends the slow
// connection. For one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace carrack::data {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  Pace(std::chrono::milliseconds window, std::uint64_t window_bytes_min)
      : window_(window), window_bytes_min_(window_bytes_min) {}

  // Call this after each read or write, with the number of bytes and the time. Returns false if the connection is too
  // slow: if this call ends a window in which fewer than `window_bytes_min` bytes were counted. The first window begins
  // with the first call. A window ends with the first call that comes at least `window` after its start, and includes
  // the bytes of that call; the next window begins then.
  bool add(std::uint64_t bytes, Clock::time_point now);

 private:
  std::chrono::milliseconds window_;
  std::uint64_t window_bytes_min_;
  std::optional<Clock::time_point> window_start_;  // nullopt before the first call
  std::uint64_t window_bytes_ = 0;
};

}  // namespace carrack::data
