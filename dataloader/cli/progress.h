// Counts how much of its input a command has read, and can draw a progress bar on standard error, from half a second
// after its construction until its destruction. Any thread may call any function.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace carrack::data::cli {

// "[######........] 1.2 GB of 3.0 GB, 410.0 MB/s, 4 s left". `done` and `total` are in bytes; `done` may exceed
// `total`. If `total` is 0, which means unknown: "1.2 GB, 410.0 MB/s".
std::string format_progress(std::uint64_t done, std::uint64_t total, double seconds);

class Progress {
 public:
  // `total` is in bytes; 0 means unknown. Draws the bar, on a thread of its own, only if `on_terminal` is true:
  // standard error must then be a terminal.
  Progress(std::uint64_t total, bool on_terminal);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::uint64_t bytes) { done_ += bytes; }
  std::uint64_t done() const { return done_; }
  // The seconds since this object was created.
  double seconds() const;
  // Erases the bar, if it is drawn, so that something else can be printed. It is drawn again within a fifth of a
  // second.
  void clear();

 private:
  void draw(const std::stop_token& stop);

  const std::uint64_t total_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> done_ = 0;
  // std::mutex instead of Mutex, because a wait that a stop token ends needs condition_variable_any.
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  bool is_drawn_ = false;  // Guarded by mutex_.
  std::jthread drawing_;
};

}  // namespace carrack::data::cli
