// Ends what one thread does on a socket, at the wish of another.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace carrack::control {

// The socket in use. Holds a duplicate: its owner may close its own at any time, and the number may be another file's
// by then.
class Breaker {
 public:
  Breaker() = default;
  ~Breaker() { drop(); }
  Breaker(const Breaker&) = delete;
  Breaker& operator=(const Breaker&) = delete;

  void take(int socket);
  void drop();
  void shut();  // reads, writes and a connect on it end now

 private:
  std::mutex mutex_;
  int duplicate_ = -1;
};

// From `stop` until its own end, every socket that the breaker has taken is shut, later ones too: a stop can come
// before there is a socket, or between two.
class BrokenBy {
 public:
  BrokenBy(Breaker& breaker, const std::stop_token& stop);

 private:
  void wait_and_shut(const std::stop_token& over);

  Breaker& breaker_;
  const std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable_any rung_;
  std::jthread shutting_;
  std::stop_callback<std::function<void()>> ring_;
};

}  // namespace carrack::control
