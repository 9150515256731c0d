// Where a simulated run may go wrong, and whether it does this time: by chance from a seed, or at one chosen point.
// Each place that can fail asks strikes(); the number of questions is the number of points an exhaustive run has to
// try.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace carrack::simulation {

enum class Fault {
  operator_dies,       // before a call to the cluster
  operator_pauses,     // before a call; meanwhile the world goes on, perhaps under another leader
  reply_lost,          // the call was done, or not
  call_refused,        // quota and the like
  list_is_old,         // a watch starts again from an older list
  process_crashes,     // ends with an exit code that is charged
  process_evicted,     // is asked to leave by the cluster
  pod_vanishes,        // its object goes, its process perhaps stays
  node_dies,           // its pods stay Terminating for ever, their processes perhaps go on
  storage_reply_lost,  // a write of HEAD was done, or not
  clock_is_set,        // forward or back, by an hour
  process_hangs,       // does nothing any more, nor does it answer its node
  node_falls_silent,   // its pods stay as they were shown, until the cluster takes them away
  api_server_is_away,  // for ten minutes: it answers no operator and no node
  process_is_stuck,    // is alive for its node, and makes no progress: its leader cannot train with it, and says so
  report_is_forged     // it says of every process that it hangs, and of some that there are not
};
constexpr std::size_t fault_kinds = 16;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool chance(double probability) { return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability; }

 private:
  std::uint64_t state_;
};

class Faults {
 public:
  struct Point {
    Fault fault;
    std::uint64_t number;  // from 1
  };

  // Which faults there are at all, and how often, differs from seed to seed: rare ones are not drowned by frequent
  // ones.
  explicit Faults(std::uint64_t seed);
  // Exactly at these points; without any, nowhere.
  explicit Faults(const std::array<std::optional<Point>, 2>& points)
      : random_(1), random_of_clock_(1), random_of_silence_(1), random_of_reports_(1), points_(points) {}

  bool strikes(Fault fault);
  void end() { ended_ = true; }  // from now on nothing goes wrong
  bool have_ended() const { return ended_; }
  bool by_chance() const { return by_chance_; }
  Random& random() { return random_; }
  std::uint64_t asked(Fault fault) const { return asked_[static_cast<std::size_t>(fault)]; }

 private:
  Random& random_of(Fault fault);

  Random random_;
  // Apart, so that the worlds of seeds without these faults are as they were before there were these faults.
  Random random_of_clock_;
  Random random_of_silence_;
  Random random_of_reports_;
  bool by_chance_ = false;
  bool ended_ = false;
  std::array<double, fault_kinds> rates_{};
  std::array<std::uint64_t, fault_kinds> asked_{};
  std::array<std::optional<Point>, 2> points_;
};

}  // namespace carrack::simulation
