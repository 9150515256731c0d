// A whole job in simulated time: processes, the streams between them, the checkpoint folder, an operator that replaces
// what ends, and the weather: kills, stops and broken streams, until it is calm and the job has to come to its end.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/trainer/comm/simulation/job.h"
#include "tests/trainer/comm/simulation/network.h"
#include "tests/trainer/comm/simulation/plant.h"
#include "tests/trainer/comm/simulation/process.h"
#include "tests/trainer/comm/simulation/schedule.h"
#include "tests/trainer/comm/simulation/stats.h"
#include "tests/trainer/comm/simulation/store.h"

namespace carrack::train::simulation {

// Where a server is found: nowhere else was another ever; where its predecessor was; at the lowest port that was free.
enum class Addresses { unique, by_index, ports };

struct Weather {
  Time fault_every = 0;         // On average; zero: never.
  std::uint64_t at_points = 0;  // In a thousand points passed, so many hit a process there.
  std::uint64_t kills = 1;      // How often, of the three together.
  std::uint64_t pauses = 1;
  std::uint64_t breaks = 1;
  Time calm_at = 0;
  bool waits_for_storage = false;    // A server's thread loads; else it serves meanwhile.
  bool waits_for_gradients = false;  // A worker's thread computes; else it listens meanwhile.
  Addresses addresses = Addresses::unique;
  Time data_changes_at = 0;  // Zero: never.
  Time suspended_at = 0;     // Zero: never.
  Time resumed_after = 0;
};

// What is out of the ordinary, besides the weather.
enum class Story { none, resumes_another, data_changes, first_pass };

class World {
 public:
  World(std::uint64_t seed, Plant plant, Story story = Story::none);

  // Runs to the end of the job, and on until nothing can follow. Returns what was violated.
  std::optional<std::string> run();

  const Job& job() const { return job_; }
  // By a process that starts now.
  Job job_as_found() const;
  const Weather& weather() const { return weather_; }
  bool planted(Plant plant) const { return plant_ == plant; }
  Schedule& schedule() { return schedule_; }
  Random& random() { return random_; }
  Network& network() { return network_; }
  Store& store() { return store_; }
  Stats& stats() { return stats_; }
  const Stats& stats() const { return stats_; }

  void violate(std::string what);
  void check(std::optional<std::string> fault);
  void check_job_done(const Process& coordinator);

  // What a name leads to: the coordinator that was started last; nobody unless it serves.
  Process* coordinator();
  void listen(Process& server);
  std::string address_of(const Process& process) const;
  Process* at_address(const std::string& address);
  std::uint32_t newest(Place place) const { return slots_.at(place).incarnation; }

  Time storage_time();
  Time compute_time();

  // What processes tell.
  void gone(const Process& process);
  void succeeded(const Process& process);
  void superseded(const Process& process);
  void failed(const Process& coordinator);
  void point_passed(Process& process);
  void left(const Process& worker);
  // Something goes wrong that may cost uncommitted work.
  void harm();

 private:
  struct Slot {
    std::uint32_t incarnation = 0;
    Process* newest = nullptr;
    bool done = false;  // It ended well, and is not replaced.
  };

  // Nothing hinders it any more.
  Time trains_from() const { return std::max(weather_.calm_at, weather_.suspended_at + weather_.resumed_after); }
  bool calm() const { return schedule_.now() >= weather_.calm_at; }
  void start(Place place);
  void replace_after(Place place, std::uint32_t incarnation, Time delay);
  void next_fault();
  void hit(Process& process);
  void stop_for_a_while(Process& process);
  void end_job();

  void suspend();
  void look_whether_drained();
  void check_drained();
  bool must_have_drained() const;
  bool servers_agree() const;
  bool worker_lives(const Process* besides) const;
  std::vector<wire::Held> held() const;
  std::uint64_t done_on_all_servers() const;
  void stop();
  void resume();
  bool wanted(Place place) const { return !suspended_ || (!stopped_ && place.role != wire::WORKER); }

  Plant plant_;
  Random random_;
  Job job_;
  Weather weather_;
  Schedule schedule_;
  Network network_;
  Store store_;
  Stats stats_;
  std::optional<std::string> violation_;
  std::map<Place, Slot> slots_;
  std::map<std::string, Process*> listening_;  // By address.
  std::vector<std::unique_ptr<Process>> processes_;
  std::optional<Time> finished_at_;
  std::optional<Time> harmed_at_;         // Last.
  std::optional<Time> left_in_order_at_;  // All workers; nothing went wrong since.
  bool suspended_ = false;
  bool stopped_ = false;  // Nobody runs, as it is drained, or as that took too long.
  Time drain_by_ = 0;
};

}  // namespace carrack::train::simulation
