// Crash points: names of places in the protocol, one before and one after each write to storage, each frame sent and
// each change of a state machine. A test arms one of them, and the process is killed or stopped, or the thread sleeps
// for ever, when it has passed there so many times. A point that is not armed costs a comparison. tests/tidy/points.py
// requires the points and lists them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carrack::train {

enum class PointAction {
  kill,   // the process gets SIGKILL
  stop,   // the process gets SIGSTOP
  sleep,  // the thread sleeps for ever
  fail,   // fails_at() is true from then on
};

struct ArmedPoint {
  std::string name;           // such as "ps.advance.before"
  std::uint64_t passing = 1;  // the first passing is 1
  PointAction action = PointAction::kill;
  std::string from;  // passings count while this file exists; empty: always

  bool operator==(const ArmedPoint&) const = default;
};

// Parses the variable CARRACK_TEST_POINT: `NAME:PASSING:ACTION` or `NAME:PASSING:ACTION:FILE`. Throws Error for any
// other text.
ArmedPoint armed_point_from(std::string_view text);

// To be called once at most, before any thread starts.
void arm(ArmedPoint point);

// Passes the point `name`. True if it is armed to fail, has been passed so many times, and its file exists: what the
// caller is about to do is then to fail.
bool fails_at(std::string_view name);

// Passes the point NAME.before when it is constructed, and NAME.after when it is destroyed.
class CrashPoint {
 public:
  // `name` must outlive this.
  explicit CrashPoint(std::string_view name);
  CrashPoint(const CrashPoint&) = delete;
  CrashPoint& operator=(const CrashPoint&) = delete;
  ~CrashPoint();

 private:
  std::string_view name_;
};

}  // namespace carrack::train
