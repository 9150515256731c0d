#include "tests/operator/simulation/two_jobs.h"

#include <algorithm>

#include "tests/operator/simulation/small_job.h"

namespace carrack::simulation {

using control::ConditionType;
using std::chrono::milliseconds;

TwoJobs::TwoJobs(std::uint64_t seed, const PlantedBug* bug)
    : faults_(seed),
      bug_(bug),
      rules_(bug ? bug->rules : PeerRules{}),
      first_folder_(checkers_, faults_),
      second_folder_(checkers_, faults_),
      nodes_(api_, first_folder_, checkers_, faults_, rules_, afflictions_, !bug || bug->hung_are_noticed) {
  api_.job_keys.clear();
  create_job("first", first_folder_);
  create_job("second", second_folder_);
}

// Coordinator, parameter server and one worker are the least; a job uses up to two workers more.
void TwoJobs::create_job(const std::string& name, Folder& folder) {
  control::JobSpec spec = small_job(name);
  spec.uid = "uid-" + name;
  spec.generation = 1;
  spec.config.workers.max = 1 + static_cast<int>(faults_.random().below(3));
  const int size = 2 + spec.config.workers.max;
  afflictions_.room = std::max({5, afflictions_.room.value_or(0), size * 3 / 2});
  nodes_.use_folder(name, folder);
  const std::string key = "default/" + name;
  api_.job_keys.push_back(key);
  api_.jobs.put(key, {std::make_shared<const control::JobSpec>(spec), {}});
}

void TwoJobs::go_wrong(int rounds) {
  for (int n = 0; n < rounds; ++n) round();
}

void TwoJobs::round() {
  Random& random = faults_.random();
  const bool fair = faults_.have_ended();
  const auto comes_about = [&](double probability) { return fair || random.chance(probability); };
  if (!leader_ && comes_about(0.3)) {
    operators_.push_back(std::make_unique<OperatorProcess>(
        api_, nodes_, checkers_, faults_, clock_, bug_ ? bug_->wiring : OperatorProcess::Wiring{}, [] {}, "release"));
    leader_ = operators_.back().get();
  }
  if (leader_ && comes_about(0.5)) leader_->watch_something();
  if (leader_ && fair) leader_->catch_up();
  if (leader_ && comes_about(0.3)) leader_->poll_report();
  if (leader_ && comes_about(0.8)) operator_turn();
  if (comes_about(0.6)) nodes_.step_pods();
  if (comes_about(0.7)) nodes_.step_processes();
  if (comes_about(0.3)) api_.collect_garbage();
  clock_.advance(milliseconds(fair ? 500 : random.below(1'000)));
  check_room();
}

void TwoJobs::operator_turn() {
  try {
    leader_->loop().turn();
  } catch (const OperatorDied&) {
    leader_ = nullptr;
  }
}

void TwoJobs::check_room() {
  for (const auto& [name, job] : api_.jobs.objects()) {
    const control::Condition* running = find(job.object.status, ConditionType::running);
    has_waited_ = has_waited_ || (running && !running->holds && running->reason == "Unschedulable");
  }
}

bool TwoJobs::all_have_ended() const {
  return std::ranges::all_of(api_.jobs.objects(),
                             [](const auto& job) { return is_finished(job.second.object.status); });
}

std::vector<std::string> TwoJobs::calm_down() {
  constexpr int enough = 4'000;
  faults_.end();
  for (int n = 0; n < enough && !all_have_ended(); ++n) {
    round();
    clock_.advance(control::seconds(5));
  }
  std::vector<std::string> ends;
  for (const auto& [name, job] : api_.jobs.objects()) {
    const control::Condition* finished = find(job.object.status, ConditionType::finished);
    if (!finished || !finished->holds) {
      const control::Condition* running = find(job.object.status, ConditionType::running);
      violated("jobs that share room all end",
               name + " does not end: " + (running ? running->reason + ": " + running->message : ""));
    }
    ends.push_back(finished->reason);
  }
  return ends;
}

}  // namespace carrack::simulation
