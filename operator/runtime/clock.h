// The current time, as an argument of the loop so that a simulation can advance it.
#pragma once

#include <chrono>

namespace carrack::control {

using Moment = std::chrono::sys_time<std::chrono::milliseconds>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Moment now() const = 0;
};

class SystemClock : public Clock {
 public:
  Moment now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }
};

}  // namespace carrack::control
