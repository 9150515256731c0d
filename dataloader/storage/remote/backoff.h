// How long to wait before trying again: each time four times as long, with jitter, a bounded number of times. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>

namespace carrack::data {

using Sleeper = std::function<void(std::chrono::milliseconds)>;

// Ten tries wait about a minute and a half in all. The first wait is short, as one refusal among many replies says
// little about the service.
struct RetryLimits {
  int tries = 10;
  std::chrono::milliseconds first{20};
  std::chrono::milliseconds longest{32'000};
};

class Backoff {
 public:
  Backoff(const RetryLimits& limits, std::uint64_t seed) : limits_(limits), jitter_(seed) {}

  // After a failed try: between half and all of the delay that is due, or of the longest one where it may not be quick;
  // nothing when no try is left.
  std::optional<std::chrono::milliseconds> next(bool quick = true);
  // What was tried got on: the tries are counted anew.
  void progressed() { failed_ = 0; }
  int failed() const { return failed_; }

 private:
  RetryLimits limits_;
  int failed_ = 0;
  std::mt19937_64 jitter_;
};

}  // namespace carrack::data
