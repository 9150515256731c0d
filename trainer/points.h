// Crash points: named places in the protocol where a test can end the process. There is one before and one after each
// write to storage, each frame sent and each change of a state machine. A test arms one point, and chooses at which
// passing of the point the action happens: a passing is one execution of the point. If no point is armed, passing one
// costs a comparison. All functions but arm() are thread-safe. tests/tidy/points.py requires the points and lists them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carrack::train {

enum class PointAction {
  kill,   // the process gets SIGKILL
  stop,   // the process gets SIGSTOP
  sleep,  // the thread that passes the point sleeps for ever
  fail,   // fails_at() returns true from that passing on; a CrashPoint ignores it
};

struct ArmedPoint {
  std::string name;           // such as "ps.advance.before"; not checked: the name of no point never acts
  std::uint64_t passing = 1;  // the passing at which the action happens; the first is 1
  PointAction action = PointAction::kill;
  std::string from;  // path of a file: passings count only while it exists; empty: all passings count

  bool operator==(const ArmedPoint&) const = default;
};

// Parses the variable CARRACK_TEST_POINT: `NAME:PASSING:ACTION` or `NAME:PASSING:ACTION:FILE`. Throws Error with
// Blame::user for any other text.
ArmedPoint armed_point_from(std::string_view text);

// Arms the point. Call it at most once, before any other thread starts.
void arm(ArmedPoint point);

// Passes the point `name`. Returns true if what the caller is about to do must fail: the point is armed with
// PointAction::fail, this is passing number ArmedPoint::passing or a later one, and the file, if any, exists. Other
// actions do nothing here.
bool fails_at(std::string_view name);

// Passes the point NAME.before in the constructor, and NAME.after in the destructor, which also runs when an exception
// ends the scope.
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
