#include "tests/operator/simulation/faults.h"

#include <algorithm>

namespace carrack::simulation {

// SplitMix64.
std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

Faults::Faults(std::uint64_t seed)
    : random_(seed),
      random_of_clock_(~seed),
      random_of_silence_(seed ^ 0x6a09e667f3bcc909U),
      random_of_reports_(seed ^ 0xbb67ae8584caa73bU),
      by_chance_(true) {
  constexpr std::array<double, 5> rates = {0, 0, 0.003, 0.01, 0.05};
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    rates_[kind] = rates[random_of(static_cast<Fault>(kind)).below(rates.size())];
  }
}

Random& Faults::random_of(Fault fault) {
  switch (fault) {
    case Fault::clock_is_set:
      return random_of_clock_;
    case Fault::process_hangs:
    case Fault::node_falls_silent:
    case Fault::api_server_is_away:
      return random_of_silence_;
    case Fault::process_is_stuck:
    case Fault::report_is_forged:
      return random_of_reports_;
    default:
      return random_;
  }
}

bool Faults::strikes(Fault fault) {
  const auto kind = static_cast<std::size_t>(fault);
  if (ended_) return false;
  ++asked_[kind];
  if (by_chance_) return random_of(fault).chance(rates_[kind]);
  return std::any_of(points_.begin(), points_.end(), [&](const auto& point) {
    return point && point->fault == fault && point->number == asked_[kind];
  });
}

}  // namespace carrack::simulation
