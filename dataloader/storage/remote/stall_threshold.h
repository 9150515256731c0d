// How long requests are silent, or bring so little that it counts as that, and from when on a silence is no longer an
// ordinary one. For many threads.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>

namespace carrack::data {

class StallThreshold {
 public:
  // The longest of one request: before its first bytes or between two pieces.
  void add(std::chrono::microseconds longest);

  // Several times what one in a hundred of the latest requests exceeds. A service that has become slow soon moves it,
  // as the stall_threshold of requests that were given up count too.
  std::chrono::microseconds limit() const;

 private:
  static constexpr std::size_t remembered = 512;
  mutable std::mutex mutex_;  // Guards what follows.
  std::array<std::chrono::microseconds, remembered> latest_{};
  std::size_t count_ = 0;
};

}  // namespace carrack::data
