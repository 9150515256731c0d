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

// Global variables, because otherwise every function of the protocol would need an argument for this hook of tests. The
// armed point is never destroyed, because threads may still pass points while exit() destroys static objects.
const ArmedPoint* armed = nullptr;
std::atomic<std::uint64_t> passings = 0;

std::optional<PointAction> action_of(std::string_view text) {
  if (text == "kill") return PointAction::kill;
  if (text == "stop") return PointAction::stop;
  if (text == "sleep") return PointAction::sleep;
  if (text == "fail") return PointAction::fail;
  return std::nullopt;
}

// Counts a passing of the point `name` + `side`, and returns the number of passings so far. Returns 0, and counts
// nothing, if this point is not the armed one, or if the armed point requires a file that does not exist.
std::uint64_t pass(std::string_view name, std::string_view side) {
  if (!armed) return 0;
  const std::string_view target = armed->name;
  if (target.size() != name.size() + side.size() || !target.starts_with(name) || !target.ends_with(side)) return 0;
  if (!armed->from.empty() && access(armed->from.c_str(), F_OK) != 0) return 0;
  return ++passings;
}

void act_at(std::string_view name, std::string_view side) {
  const std::uint64_t passing = pass(name, side);
  if (passing == 0 || passing != armed->passing) return;
  switch (armed->action) {
    // raise() sends the signal to this thread, so the thread does not pass the point. kill() might send it to another
    // thread, and this thread could pass the point before the process stops.
    case PointAction::kill:
      raise(SIGKILL);
      break;
    case PointAction::stop:
      raise(SIGSTOP);
      break;
    case PointAction::sleep:
      for (;;) pause();
    case PointAction::fail:
      break;
  }
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
  const std::optional<PointAction> action = action_of(next());
  point.from = rest;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), point.passing);
  const bool is_number = error == std::errc() && end == number.data() + number.size() && point.passing > 0;
  if (point.name.empty() || !is_number || !action || text.ends_with(':')) {
    throw Error(Blame::user, "CARRACK_TEST_POINT: expects NAME:PASSING:kill|stop|sleep|fail[:FILE], not '" +
                                 std::string(text) + "'");
  }
  point.action = *action;
  return point;
}

void arm(ArmedPoint point) {
  armed = new ArmedPoint(std::move(point));
}

bool fails_at(std::string_view name) {
  const std::uint64_t passing = pass(name, "");
  return passing != 0 && armed->action == PointAction::fail && passing >= armed->passing;
}

CrashPoint::CrashPoint(std::string_view name) : name_(name) {
  act_at(name_, ".before");
}
CrashPoint::~CrashPoint() {
  act_at(name_, ".after");
}

}  // namespace carrack::train
