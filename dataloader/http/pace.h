// Pace: notices a connection that transfers too few bytes, although it is never silent for long. Reads no clock: the
// caller passes the time. For one thread.
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

  // Counts bytes that were transferred until `now`. Returns false if this call ends a window in which fewer than
  // `window_bytes_min` bytes were counted, else true. The first window begins with the first call, and the next one
  // when a window ends. A window ends with the first call that comes at least `window` after its start, and includes
  // the bytes of that call.
  bool add(std::uint64_t bytes, Clock::time_point now);

 private:
  std::chrono::milliseconds window_;
  std::uint64_t window_bytes_min_;
  std::optional<Clock::time_point> window_start_;  // nullopt before the first call
  std::uint64_t window_bytes_ = 0;
};

}  // namespace carrack::data
