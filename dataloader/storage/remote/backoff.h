// Backoff: computes how long to wait before a failed request is sent again: exponential backoff with jitter. Each wait
// is four times as long as the previous one, up to a maximum, and the number of tries is limited. Make one for each
// operation. It only computes; the caller waits. For one thread.
//   for (Backoff backoff(limits, seed); !try_it();) {
//     const auto delay = backoff.next();
//     if (!delay) throw Error("gave up");
//     std::this_thread::sleep_for(*delay);
//   }
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>

namespace carrack::data {

// A function that waits for this time on the calling thread. Tests pass one that returns immediately.
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

  // Call this after each failed try. Returns how long to wait before the next one: a random time from half to all of
  // the current delay. Returns nullopt if no try is left.
  std::optional<std::chrono::milliseconds> next();
  // Like next(), but the current delay is longest_delay.
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
