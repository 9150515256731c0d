#include "tests/support/gcs/faults.h"

#include <algorithm>
#include <utility>

namespace carrack::tests {
namespace {

// The finalizer of SplitMix64: neighbouring inputs give unrelated outputs.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// In [0, 1).
double draw(std::uint64_t seed, std::size_t rule, std::uint64_t number) {
  return static_cast<double>(mixed(mixed(mixed(seed) ^ rule) ^ number) >> 11U) * 0x1p-53;
}

bool matches(const Rule& rule, const std::string& method, const std::string& decoded_target) {
  return (rule.method.empty() || rule.method == method) && decoded_target.find(rule.target) != std::string::npos;
}

void add(Play& play, const Fault& fault) {
  if (const auto* slow = std::get_if<Slow>(&fault)) {
    if (!play.slow) play.slow = *slow;
  } else if (const auto* persist = std::get_if<PersistAtMost>(&fault)) {
    if (!play.persist) play.persist = *persist;
  } else if (!play.ending) {
    play.ending = std::get<Ending>(fault);
  }
}

}  // namespace

bool plays(const When& when, std::uint64_t seed, std::size_t rule, std::uint64_t number) {
  if (const auto* nth = std::get_if<Nth>(&when)) return std::ranges::find(nth->numbers, number) != nth->numbers.end();
  if (const auto* share = std::get_if<Share>(&when)) return draw(seed, rule, number) < share->of_requests;
  return true;
}

Play FaultScript::next(const std::string& method, const std::string& decoded_target) {
  Play play;
  for (std::size_t i = 0; i < faults_.rules.size(); ++i) {
    const Rule& rule = faults_.rules[i];
    if (!matches(rule, method, decoded_target)) continue;
    if (plays(rule.when, faults_.seed, i, ++numbers_[i])) add(play, rule.fault);
  }
  return play;
}

}  // namespace carrack::tests
