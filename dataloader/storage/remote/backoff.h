// Backoff: how long to wait before the next try of one operation. Each wait is four times as long as the previous one,
// with jitter, up to a maximum, and the number of tries is limited. Does not wait itself. For one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>

namespace carrack::data {

// Waits for this time on the calling thread.
using Sleeper = std::function<void(std::chrono::milliseconds)>;

// By default all waits together take about a minute and a half on average. The first wait is short, because one failure
// among many replies says little about the service.
struct RetryLimits {
  int tries = 10;  // maximum number of tries, with the first one
  std::chrono::milliseconds first_delay{20};
  std::chrono::milliseconds longest_delay{32'000};  // maximum of a wait
};

class Backoff {
 public:
  // `seed` is that of the jitter; operations that run at the same time should have different seeds.
  Backoff(const RetryLimits& limits, std::uint64_t seed) : limits_(limits), jitter_(seed) {}

  // Call this after each failed try. Returns how long to wait: a random time from half to all of the delay. Returns
  // nullopt if no try is left.
  std::optional<std::chrono::milliseconds> next();
  // Does the same with longest_delay instead of the delay that grows.
  std::optional<std::chrono::milliseconds> next_longest();
  // Call this if a failed try made progress, before next(): tries are then counted from 0 again, and delays begin with
  // the first.
  void progressed() { failed_ = 0; }
  int failed() const { return failed_; }  // failed tries since the last progress

 private:
  std::optional<std::chrono::milliseconds> jittered(std::chrono::milliseconds delay);

  RetryLimits limits_;
  int failed_ = 0;
  std::mt19937_64 jitter_;
};

}  // namespace carrack::data
