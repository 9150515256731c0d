// Clock is the interface by which the operator reads the current time, so that a simulation can advance it.
#pragma once

#include <chrono>

namespace carrack::control {

// A time of the wall clock, which may be set forward or back: for times that users and other machines read.
using Moment = std::chrono::sys_time<std::chrono::milliseconds>;
// A time of the steady clock, which nobody can set, and which starts again when the machine boots: for pauses and
// timeouts.
using Instant = std::chrono::time_point<std::chrono::steady_clock, std::chrono::milliseconds>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Moment now() const = 0;
  virtual Instant steady_now() const = 0;
};

// The clocks of this machine, rounded down to milliseconds. Thread-safe.
class SystemClock : public Clock {
 public:
  Moment now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }
  Instant steady_now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::steady_clock::now());
  }
};

}  // namespace carrack::control
