// Named points of the protocol: one stands before and one after every storage write, stream send and change of state.
// A test arms one of them, and the process is killed or stopped there at its n-th passing; else they cost a comparison.
// tests/tidy/points.py fails on a write, send or change without a point around it, and prints how many there are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carrack::train {

struct ArmedPoint {
  std::string name;  // As in `shard.apply.before`.
  std::uint64_t passing = 1;
  int signal = 9;
  std::string from;  // Passings count while this file exists; empty: always.

  bool operator==(const ArmedPoint&) const = default;
};

// From `NAME:PASSING:kill|stop` or `NAME:PASSING:kill|stop:FILE`, the form of the variable CARRACK_TEST_POINT; throws
// Error on any other text.
ArmedPoint armed_point_from(std::string_view text);

// Called by a main before any thread starts.
void arm(ArmedPoint point);

// Passes NAME.before now and NAME.after when it ends.
class CrashPoint {
 public:
  // What `name` views outlives this: a literal, or a text made once.
  explicit CrashPoint(std::string_view name);
  CrashPoint(const CrashPoint&) = delete;
  CrashPoint& operator=(const CrashPoint&) = delete;
  ~CrashPoint();

 private:
  std::string_view name_;
};

}  // namespace carrack::train
