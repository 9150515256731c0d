// Pace: notices a connection that transfers too few bytes, although it is never silent for long. Pure.
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

  // Counts bytes that were transferred. Returns false if this call ends a window in which fewer than `window_bytes_min`
  // bytes were counted. The first window begins with the first call. A window ends with the first call that comes at
  // least `window` after its start, and includes the bytes of that call.
  bool add(std::uint64_t bytes, Clock::time_point now);

 private:
  std::chrono::milliseconds window_;
  std::uint64_t window_bytes_min_;
  std::optional<Clock::time_point> window_start_;
  std::uint64_t window_bytes_ = 0;
};

}  // namespace carrack::data
