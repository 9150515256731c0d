#include "trainer/points.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <optional>

#include "trainer/error.h"

namespace carrack::train {
namespace {

// The one global of the trainer: a test hook has to be reachable from every depth without being an argument of all.
std::optional<ArmedPoint> armed;
std::atomic<std::uint64_t> passings = 0;

void pass(std::string_view name, std::string_view side) {
  if (!armed) return;
  const std::string_view wanted = armed->name;
  if (wanted.size() != name.size() + side.size() || !wanted.starts_with(name) || !wanted.ends_with(side)) return;
  if (++passings == armed->passing) kill(getpid(), armed->signal);
}

}  // namespace

ArmedPoint armed_point_from(std::string_view text) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == text.npos ? text.npos : text.find(':', first + 1);
  ArmedPoint point;
  if (second != text.npos) {
    point.name = text.substr(0, first);
    const std::string_view number = text.substr(first + 1, second - first - 1);
    const std::string_view action = text.substr(second + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), point.passing);
    const bool whole = error == std::errc() && end == number.data() + number.size() && point.passing > 0;
    if (whole && !point.name.empty() && (action == "kill" || action == "stop")) {
      point.signal = action == "kill" ? SIGKILL : SIGSTOP;
      return point;
    }
  }
  throw Error(Blame::user, "CARRACK_TEST_POINT: expects NAME:PASSING:kill|stop, not '" + std::string(text) + "'");
}

void arm(ArmedPoint point) {
  armed = std::move(point);
}

Around::Around(std::string name) : name_(std::move(name)) {
  pass(name_, ".before");
}
Around::~Around() {
  pass(name_, ".after");
}

}  // namespace carrack::train
