// A whole job in simulated time: processes, the streams between them, the checkpoint folder, an operator that replaces
// processes that end, and the weather: kills, pauses and broken streams. After a while it is calm, and the job must
// end.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/trainer/comm/simulation/job.h"
#include "tests/trainer/comm/simulation/network.h"
#include "tests/trainer/comm/simulation/plant.h"
#include "tests/trainer/comm/simulation/process.h"
#include "tests/trainer/comm/simulation/schedule.h"
#include "tests/trainer/comm/simulation/stats.h"
#include "tests/trainer/comm/simulation/store.h"
#include "trainer/comm/protocol/instant.h"

namespace carrack::train::simulation {

// The address of a server: a new one, that of the server before it, or that of the lowest free port.
enum class Addresses { unique, by_index, ports };

struct Weather {
  Time fault_every = 0;         // on average; 0: never
  std::uint64_t at_points = 0;  // of a thousand crash points passed, so many hit the process
  std::uint64_t kills = 1;      // weights of the three kinds of faults
  std::uint64_t pauses = 1;
  std::uint64_t breaks = 1;
  Time calm_at = 0;
  bool waits_for_storage = false;    // a server's thread loads; else it serves meanwhile
  bool waits_for_gradients = false;  // a worker's thread computes; else it listens meanwhile
  Addresses addresses = Addresses::unique;
  Time data_changes_at = 0;  // 0: never
  Time suspended_at = 0;     // 0: never
  Time resumed_after = 0;
};

// What a run does besides the weather.
enum class Story { none, resumes_another, data_changes, first_pass, hangs, recovers, slow_worker };

class World {
 public:
  World(std::uint64_t seed, Plant plant, Story story = Story::none);

  // Runs to the end of the job, and on until no event is left. Returns the violations.
  std::optional<std::string> run();

  const Job& job() const { return job_; }
  // The job as a process that starts now finds it.
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

  // The coordinator that was started last, if it serves; else null.
  Process* coordinator();
  void listen(Process& server);
  std::string address_of(const Process& process) const;
  Process* at_address(const std::string& address);
  std::uint32_t newest(Place place) const { return slots_.at(place).incarnation; }

  Instant instant() const { return Instant(std::chrono::microseconds(schedule_.now())); }
  Time storage_time();
  Time compute_time(Place place);

  // What processes report.
  void gone(const Process& process);
  void succeeded(const Process& process);
  void superseded(const Process& process);
  void failed(const Process& coordinator);
  void point_passed(Process& process);
  void left(const Process& worker);
  // Something went wrong that may cost uncommitted work.
  void harm();
  // A worker could not wait any longer, and leaves with a step that may be half done.
  void left_late();

 private:
  struct Slot {
    std::uint32_t incarnation = 0;
    Process* newest = nullptr;
    bool done = false;  // it ended in order, and is not replaced
  };

  // From now on there are no faults.
  Time trains_from() const { return std::max(weather_.calm_at, weather_.suspended_at + weather_.resumed_after); }
  bool calm() const { return schedule_.now() >= weather_.calm_at; }
  void start(Place place);
  void replace_after(Place place, std::uint32_t incarnation, Time delay);
  void next_fault();
  void hit(Process& process);
  void stop_for_a_while(Process& process);
  void end_job();

  void begin_hang();
  void begin_hang_that_ends();
  void begin_standstill();
  bool may_be_hung(const Process& process) const;
  std::vector<Process*> newest_of(wire::Role role);
  void look_for_hung();
  void replace_hung(Place place);

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
  Story story_;
  Random random_;
  Job job_;
  Weather weather_;
  Schedule schedule_;
  Network network_;
  Store store_;
  Stats stats_;
  std::optional<std::string> violation_;
  std::map<Place, Slot> slots_;
  std::map<std::string, Process*> listening_;  // by address
  std::vector<std::unique_ptr<Process>> processes_;
  std::set<const Process*> named_;   // as hung
  std::set<const Process*> well_;    // that hung before
  Time well_ones_are_known_by_ = 0;  // when the coordinator must not name these any more
  std::optional<Time> finished_at_;
  std::optional<Time> harmed_at_;         // the last time
  std::optional<Time> left_in_order_at_;  // by all workers, with no fault since
  bool suspended_ = false;
  std::optional<Time> left_late_at_;  // a worker, the last time
  bool stopped_ = false;              // all processes are ended: the job has drained, or draining took too long
  Time drain_by_ = 0;
};

}  // namespace carrack::train::simulation
