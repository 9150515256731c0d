#include "tests/trainer/comm/simulation/world.h"

#include "tests/trainer/comm/simulation/members.h"

namespace carrack::train::simulation {
namespace {

constexpr Time must_finish_within = 120 * second;
// Two members hang. Each is found within five minutes, as it may be at its first step, and a minute after another.
constexpr Time hung_must_finish_within = 2 * 300 * second + must_finish_within;
constexpr Time watched_after_the_end = 20 * second;
constexpr std::uint64_t most_events = 500'000;
// Requests and parts of one worker to one server, and what waits for a paused process.
constexpr std::size_t most_frames_under_way = 200;

Weather weather_from(Random& random) {
  constexpr Time every[] = {0, 4 * second, 1 * second, 300 * millisecond};
  constexpr std::uint64_t at_points[] = {0, 0, 1, 4};
  Weather weather;
  weather.fault_every = every[random.below(4)];
  weather.at_points = at_points[random.below(4)];
  weather.kills = random.below(4);
  weather.pauses = random.below(4);
  weather.breaks = random.below(4) + 1;
  weather.calm_at = random.between(2, 20) * second;
  weather.waits_for_storage = random.chance(500);
  weather.waits_for_gradients = random.chance(500);
  weather.addresses = static_cast<Addresses>(random.below(3));
  return weather;
}

// Drawn from a generator of its own, so that everything else of a seed does not depend on it.
Weather with_suspension(Weather weather, std::uint64_t seed) {
  constexpr Time resumed_after[] = {300 * millisecond, 3 * second, 15 * second, 40 * second};
  Random random(Random::mixed(seed + 6));
  if (!random.chance(250)) return weather;
  weather.suspended_at = random.between(1, 3 * second);
  weather.resumed_after = random.between(1, 2 * resumed_after[random.below(4)]);
  return weather;
}

}  // namespace

World::World(std::uint64_t seed, Plant plant, Story story)
    : plant_(plant),
      story_(story),
      random_(Random::mixed(seed)),
      job_(with_cuts(story == Story::first_pass ? with_first_pass(job_from(random_), random_) : job_from(random_),
                     seed)),
      weather_(with_suspension(weather_from(random_), seed)),
      network_(schedule_, random_, seed),
      store_(job_) {
  constexpr std::uint64_t late[] = {0, 10, 100};
  network_.set_late(late[random_.below(3)]);
  schedule_.after(weather_.calm_at, [this] { network_.calm(); });
  if (story == Story::data_changes) weather_.data_changes_at = random_.between(1, 3 * second);
  if (story == Story::resumes_another && job_.total_batches() > 1)
    job_.resumed_at = random_.between(1, job_.total_batches() - 1);
  if (story == Story::hangs || story == Story::recovers || story == Story::slow_worker) {
    job_.workers = std::max(job_.workers, 2U);
    weather_.suspended_at = weather_.resumed_after = 0;
  }
  if (story == Story::recovers || story == Story::slow_worker) job_.epochs = 1 + 100 / job_.batches_per_epoch();
  if (story == Story::slow_worker) weather_.calm_at = 0;
}

Job World::job_as_found() const {
  Job found = job_;
  if (weather_.data_changes_at != 0 && schedule_.now() >= weather_.data_changes_at) found.records_added = 1;
  return found;
}

std::optional<std::string> World::run() {
  start({wire::COORDINATOR, 0});
  for (std::uint32_t i = 0; i < job_.servers; ++i) start({wire::PS, i});
  for (std::uint32_t i = 0; i < job_.workers; ++i) start({wire::WORKER, i});
  if (weather_.fault_every != 0) next_fault();
  if (weather_.suspended_at != 0) schedule_.after(weather_.suspended_at, [this] { suspend(); });
  for (int hang = 0; story_ == Story::hangs && hang < 2; ++hang) {
    schedule_.after(random_.between(500 * millisecond, 20 * second), [this] { begin_hang(); });
  }
  if (story_ == Story::recovers) {
    schedule_.after(random_.between(500 * millisecond, 20 * second), [this] { begin_hang_that_ends(); });
    schedule_.after(random_.between(500 * millisecond, 20 * second), [this] { begin_standstill(); });
  }
  look_for_hung();
  const bool may_take_long = story_ == Story::hangs || story_ == Story::recovers || story_ == Story::slow_worker;
  const Time must_finish_by = trains_from() + (may_take_long ? hung_must_finish_within : must_finish_within);
  while (!violation_ && schedule_.step()) {
    const Time now = schedule_.now();
    if (finished_at_ && now > *finished_at_ + watched_after_the_end) break;
    if (!finished_at_ && now > must_finish_by) violate("the job is stuck");
    if (schedule_.happened() > most_events) violate("the job runs in circles");
    if (network_.most_under_way() > most_frames_under_way) violate("too many frames are under way on one stream");
  }
  stats_.events = schedule_.happened();
  stats_.frames_under_way = network_.most_under_way();
  return violation_;
}

void World::violate(std::string what) {
  if (!violation_) violation_ = std::to_string(schedule_.now() / millisecond) + " ms: " + std::move(what);
}

void World::check(std::optional<std::string> fault) {
  if (fault) violate(*fault);
}

void World::check_job_done(const Process& coordinator) {
  if (store_.commit_of(store_.head().manifest).version != job_.total_batches()) {
    violate(coordinator.name() + " ends the job, and HEAD does not hold all of it");
  }
}

void World::start(Place place) {
  Slot& slot = slots_[place];
  ++slot.incarnation;
  slot.done = false;
  std::unique_ptr<Process> process;
  if (place.role == wire::PS) {
    process = std::make_unique<ServerProcess>(*this, place, slot.incarnation);
  } else if (place.role == wire::WORKER) {
    process = std::make_unique<WorkerProcess>(*this, place, slot.incarnation);
  } else {
    process = std::make_unique<CoordinatorProcess>(*this, place, slot.incarnation);
  }
  slot.newest = process.get();
  processes_.push_back(std::move(process));
  slot.newest->start();
}

Process* World::coordinator() {
  Process* newest = slots_.at({wire::COORDINATOR, 0}).newest;
  return newest->serves() ? newest : nullptr;
}

void World::listen(Process& server) {
  std::string address = server.name();
  if (weather_.addresses == Addresses::by_index) address = "ps-" + std::to_string(server.place().index);
  for (int port = 1; weather_.addresses == Addresses::ports; ++port) {
    address = std::to_string(port);
    if (at_address(address) == nullptr) break;
  }
  listening_[address] = &server;
}

std::string World::address_of(const Process& process) const {
  for (const auto& [address, server] : listening_) {
    if (server == &process) return address;
  }
  return "";
}

Process* World::at_address(const std::string& address) {
  const auto found = listening_.find(address);
  return found == listening_.end() || found->second->ended() ? nullptr : found->second;
}

Time World::storage_time() {
  const bool slow = !calm() && random_.chance(30);
  return slow ? random_.between(1, 5) * second : random_.between(1, 60) * millisecond;
}

Time World::compute_time(Place place) {
  if (story_ == Story::slow_worker && place.index == 0) return random_.between(1000, 3000) * millisecond;
  const bool slow = !calm() && random_.chance(20);
  return slow ? random_.between(1, 8) * second : random_.between(5, 150) * millisecond;
}

}  // namespace carrack::train::simulation
