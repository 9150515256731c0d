// Backoff: how long to wait before the next try of one operation. Each wait is four times as long as the previous one,
// with jitter, up to a bounded number of tries. Does not wait itself. For one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>

namespace carrack::data {

// Waits for this time.
using Sleeper = std::function<void(std::chrono::milliseconds)>;

// The default waits for about a minute and a half in all. Its first wait is short, as one failure among many replies
// says little about the service.
struct RetryLimits {
  int tries = 10;  // in all, with the first
  std::chrono::milliseconds first_delay{20};
  std::chrono::milliseconds longest_delay{32'000};
};

class Backoff {
 public:
  Backoff(const RetryLimits& limits, std::uint64_t seed) : limits_(limits), jitter_(seed) {}

  // Call this after a failed try. Returns a random time from half to all of the delay that is due, or nullopt if no try
  // is left.
  std::optional<std::chrono::milliseconds> next();
  // Does the same with the longest delay, whichever is due.
  std::optional<std::chrono::milliseconds> next_longest();
  // Call this if a failed try made progress: the tries are then counted from zero again.
  void progressed() { failed_ = 0; }
  int failed() const { return failed_; }  // failed tries since then

 private:
  std::optional<std::chrono::milliseconds> jittered(std::chrono::milliseconds delay);

  RetryLimits limits_;
  int failed_ = 0;
  std::mt19937_64 jitter_;
};

}  // namespace carrack::data
