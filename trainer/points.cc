#include "trainer/points.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <optional>

#include "trainer/error.h"

namespace carrack::train {
namespace {

// Global variables, so that this hook of tests need not be an argument of every function.
std::optional<ArmedPoint> armed;
std::atomic<std::uint64_t> passings = 0;

void pass(std::string_view name, std::string_view side) {
  if (!armed) return;
  const std::string_view target = armed->name;
  if (target.size() != name.size() + side.size() || !target.starts_with(name) || !target.ends_with(side)) return;
  if (!armed->from.empty() && access(armed->from.c_str(), F_OK) != 0) return;
  // Sent to this thread: after kill() it could run on until another thread has taken the signal.
  if (++passings == armed->passing) raise(armed->signal);
}

}  // namespace

ArmedPoint armed_point_from(std::string_view text) {
  std::string_view rest = text;
  const auto next = [&rest] {
    const std::string_view part = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    return part;
  };
  ArmedPoint point;
  point.name = next();
  const std::string_view number = next();
  const std::string_view action = next();
  point.from = rest;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), point.passing);
  const bool is_number = error == std::errc() && end == number.data() + number.size() && point.passing > 0;
  if (point.name.empty() || !is_number || (action != "kill" && action != "stop") || text.ends_with(':')) {
    throw Error(Blame::user,
                "CARRACK_TEST_POINT: expects NAME:PASSING:kill|stop[:FILE], not '" + std::string(text) + "'");
  }
  point.signal = action == "kill" ? SIGKILL : SIGSTOP;
  return point;
}

void arm(ArmedPoint point) {
  armed = std::move(point);
}

CrashPoint::CrashPoint(std::string_view name) : name_(name) {
  pass(name_, ".before");
}
CrashPoint::~CrashPoint() {
  pass(name_, ".after");
}

}  // namespace carrack::train
