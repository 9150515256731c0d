// Pace: notices a connection over which too few bytes go, although it is never silent for long. Pure.
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

  // Call this for bytes that went over. Returns false if a window has passed with too few; the first window begins with
  // the first call.
  bool add(std::uint64_t bytes, Clock::time_point now);

 private:
  std::chrono::milliseconds window_;
  std::uint64_t window_bytes_min_;
  std::optional<Clock::time_point> window_start_;
  std::uint64_t window_bytes_ = 0;
};

}  // namespace carrack::data
