// Crash points: named places in the protocol where a test can end the process. There is one before and one after each
// write to storage, each frame sent and each change of a state machine. A test arms one point and chooses the passing
// at which the action happens. Passing a point costs a comparison if none is armed. tests/tidy/points.py requires the
// points and lists them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carrack::train {

enum class PointAction {
  kill,   // the process gets SIGKILL
  stop,   // the process gets SIGSTOP
  sleep,  // the thread sleeps for ever
  fail,   // fails_at() returns true from then on; nothing else happens
};

struct ArmedPoint {
  std::string name;           // such as "ps.advance.before"
  std::uint64_t passing = 1;  // the passing at which the action happens; the first is 1
  PointAction action = PointAction::kill;
  std::string from;  // a path: passings count only while this file exists; empty: always

  bool operator==(const ArmedPoint&) const = default;
};

// Parses the variable CARRACK_TEST_POINT: `NAME:PASSING:ACTION` or `NAME:PASSING:ACTION:FILE`. Throws Error with
// Blame::user for any other text.
ArmedPoint armed_point_from(std::string_view text);

// Call it at most once, and before any thread starts.
void arm(ArmedPoint point);

// Passes the point `name`. Returns true if what the caller is about to do must fail: the point is armed with
// PointAction::fail, it has been passed ArmedPoint::passing times or more, and the file, if any, exists.
bool fails_at(std::string_view name);

// Passes the point NAME.before in the constructor, and NAME.after in the destructor.
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
