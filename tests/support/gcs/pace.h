// When the bytes of a rate-limited stream may pass. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace carrack::tests {

class Pace {
 public:
  Pace(std::optional<std::uint64_t> bytes_per_second, std::chrono::steady_clock::time_point start)
      : rate_(bytes_per_second), start_(start) {}

  // When the first `bytes` bytes may have passed. Reckoned from the start, so that sleeping too long is made up for.
  std::chrono::steady_clock::time_point due(std::uint64_t bytes) const {
    if (!rate_) return start_;
    const std::chrono::duration<double> after(static_cast<double>(bytes) / static_cast<double>(*rate_));
    return start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(after);
  }

  // How much to pass at a time: what flows in 5 ms, so that a slow stream does not come in bursts.
  std::uint64_t piece() const {
    constexpr std::uint64_t most = std::uint64_t{256} * 1024;
    return rate_ ? std::clamp<std::uint64_t>(*rate_ / 200, 1, most) : most;
  }

 private:
  std::optional<std::uint64_t> rate_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace carrack::tests
