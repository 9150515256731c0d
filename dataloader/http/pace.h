// Whether bytes go over a connection fast enough: who sends or takes a few now and then is given up as who is silent
// is. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace carrack::data {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  Pace(std::chrono::milliseconds window, std::uint64_t least) : window_(window), least_(least) {}

  // So many more went over. False where a window, which begins with the first of them, has passed with fewer than the
  // least.
  bool keeps(std::uint64_t bytes, Clock::time_point now);

 private:
  std::chrono::milliseconds window_;
  std::uint64_t least_;
  std::optional<Clock::time_point> since_;
  std::uint64_t bytes_ = 0;
};

}  // namespace carrack::data
