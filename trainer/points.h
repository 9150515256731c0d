// Crash points, for tests of failures: named places in the code of the protocol where a test can kill, stop or block
// the process. There is one before and one after each write to storage, each frame sent and each change of a state
// machine:
//   const CrashPoint point("history.write");  // passes history.write.before here, and history.write.after at the end
// A test arms one point by the environment variable CARRACK_TEST_POINT of a process. "history.write.after:3:kill" kills
// the process when it passes (executes) this point for the third time. Without an armed point, as in production,
// passing a point costs a comparison. All functions but arm() are thread-safe. tests/tidy/points.py requires the points
// and lists them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carrack::train {

enum class PointAction {
  kill,   // the process gets SIGKILL
  stop,   // the process gets SIGSTOP
  sleep,  // the thread that passes the point sleeps for ever
  fail,   // fails_at() returns true from that passing on; only for fails_at(): a CrashPoint ignores it
};

struct ArmedPoint {
  std::string name;           // such as "ps.advance.before"; not checked: the name of no point never acts
  std::uint64_t passing = 1;  // the passing at which the action happens; the first is 1
  PointAction action = PointAction::kill;
  std::string from;  // path of a file: passings count only while it exists; empty: all passings count

  bool operator==(const ArmedPoint&) const = default;
};

// Parses the value of CARRACK_TEST_POINT: `NAME:PASSING:ACTION` or `NAME:PASSING:ACTION:FILE`, with kill, stop, sleep
// or fail as ACTION. Throws Error with Blame::user for any other text. Arms nothing.
ArmedPoint armed_point_from(std::string_view text);

// Arms the point in this process. Call it at most once, before any other thread starts.
void arm(ArmedPoint point);

// Passes the point `name`. Returns true if the caller must let its next operation fail, as if the network had: the
// point is armed with PointAction::fail, this is passing number ArmedPoint::passing or a later one, and the file
// ArmedPoint::from, if any, exists. Other actions do nothing here.
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
