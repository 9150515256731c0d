// How far a command has come. On a terminal a line on standard error, drawn over, for what takes longer than a moment.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace carrack::data::cli {

// "[######........] 1.2 GB of 3.0 GB, 410.0 MB/s, 4 s left"
std::string progress_text(std::uint64_t done, std::uint64_t total, double seconds);
// "1.2 GB in 2.9 s, 410.0 MB/s"
std::string rate_text(std::uint64_t bytes, double seconds);

class Progress {
 public:
  // `total` is in bytes. Draws if `on_terminal`, until it is destroyed.
  Progress(std::uint64_t total, bool on_terminal);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::uint64_t bytes) { done_ += bytes; }
  std::uint64_t done() const { return done_; }
  double seconds() const;
  // Takes the line away, so that something else can be printed; it comes back with the next drawing.
  void clear();

 private:
  void draw(const std::stop_token& stop);

  const std::uint64_t total_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> done_ = 0;
  std::mutex mutex_;  // of what is drawn
  std::condition_variable_any woken_;
  bool drawn_ = false;
  std::jthread drawing_;
};

}  // namespace carrack::data::cli
