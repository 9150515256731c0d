#include "tests/operator/simulation/world.h"

#include <algorithm>

#include "operator/core/deadlines.h"
#include "operator/core/restart.h"
#include "tests/operator/simulation/small_job.h"

namespace carrack::simulation {

using control::ConditionType;
using control::JobSpec;
using control::ProcessState;
using std::chrono::milliseconds;

namespace {

const std::string stuck = "every job ends or names its wait";

// True if the pod of a process with this exit code stays after the end of its job.
// A pod template with a container and its image.
control::Node some_program() {
  using control::Node;
  const auto text = [](const char* value) { return Node{std::string(value)}; };
  const Node container{Node::Map{{"name", text("trainer")}, {"image", text("program")}}};
  return Node{Node::Map{{"spec", Node{Node::Map{{"containers", Node{Node::List{container}}}}}}}};
}

bool is_kept(const control::RunPolicy& run, int exit_code) {
  if (run.keep_pods == control::KeepPods::failed) return exit_code != 0;
  return run.keep_pods == control::KeepPods::all;
}

}  // namespace

World::World(Faults faults, const PlantedBug* bug, bool releases_differ)
    : faults_(faults),
      bug_(bug),
      releases_differ_(releases_differ),
      rules_(bug ? bug->rules : PeerRules{}),
      folder_(checkers_, faults_),
      nodes_(api_, folder_, checkers_, faults_, rules_, afflictions_, !bug_ || bug_->hung_are_noticed),
      spec_(small_job("job")) {
  afflictions_.stays_stuck = releases_differ;
  if (faults_.by_chance()) choose_job();
  create_job();
}

void World::choose_job() {
  Random& random = faults_.random();
  const auto number = [&](std::uint64_t bound) { return static_cast<int>(random.below(bound)); };
  spec_.run.backoff_limit = number(3);
  if (random.chance(0.2)) {
    spec_.config.strategy = train::Strategy::single;
    spec_.config.ps = {0, 0};
  } else {
    const int servers = 1 + number(2);
    spec_.config.ps = {servers, servers};
    spec_.config.workers.max = 1 + number(3);
    spec_.config.workers.min = 1 + number(static_cast<std::uint64_t>(spec_.config.workers.max));
  }
  const std::vector<train::Member> members = control::members_of(spec_);
  const auto someone = [&] { return members[random.below(members.size())]; };
  if (random.chance(0.03)) afflictions_.unschedulable = someone();
  if (random.chance(0.05)) afflictions_.always_fails = someone();
  if (random.chance(0.02)) afflictions_.user_error = someone();
  Random apart = random;  // so that all other worlds are as they were
  if (Random(apart.next() ^ 1U).chance(0.05)) afflictions_.over_quota = members[apart.below(members.size())];
  afflictions_.unreachable = apart.chance(0.1);
  choose_run_policy(apart);
  choose_pods(apart);
  choose_own_program(apart);
}

void World::choose_own_program(Random& random) {
  using control::Framework;
  if (!random.chance(0.15)) return;
  constexpr Framework frameworks[] = {Framework::none, Framework::tensorflow, Framework::pytorch};
  const auto number = [&](std::uint64_t bound) { return static_cast<int>(random.below(bound)); };
  control::OwnProgram& own = spec_.own.emplace();
  own.framework = frameworks[random.below(std::size(frameworks))];
  own.success = random.chance(0.5) ? control::SuccessPolicy::leader : control::SuccessPolicy::all_workers;
  own.coordinators = number(2);
  own.ps = own.framework == Framework::pytorch ? 0 : number(2);
  own.workers = 1 + number(3);
  for (control::PodOptions* pod : {&spec_.coordinator_pod, &spec_.ps_pod, &spec_.worker_pod}) *pod = {};
  if (own.coordinators > 0) spec_.coordinator_pod.pod_template = some_program();
  if (own.ps > 0) spec_.ps_pod.pod_template = some_program();
  spec_.worker_pod.pod_template = some_program();
  spec_.run.progress_deadline.reset();
  afflictions_.user_error.reset();  // An exit code of theirs has no meaning.
}

// Pods of which the manifest says something are checked before the first start.
void World::choose_pods(Random& random) {
  if (!random.chance(0.2)) return;
  spec_.worker_pod.resources.requests = {{"cpu", "1"}};
  const bool has_servers = spec_.config.strategy != train::Strategy::single;
  if (has_servers) spec_.ps_pod = spec_.worker_pod;
  if (random.chance(0.2)) {
    const bool is_of_server = has_servers && random.chance(0.5);
    afflictions_.invalid_pod = is_of_server ? train::Role::ps : train::Role::worker;
  }
}

void World::choose_run_policy(Random& random) {
  control::RunPolicy& run = spec_.run;
  const auto maybe = [&](std::uint64_t seconds_max) {
    const auto chosen = control::seconds(1 + random.below(seconds_max));
    return random.chance(0.05) ? std::optional(chosen) : std::nullopt;
  };
  run.start_deadline = maybe(60);
  run.active_deadline = maybe(200);
  run.progress_deadline = maybe(30);
  run.ttl_after_finished = maybe(60);
  if (random.chance(0.05)) run.failure_rules.push_back({.exit_codes = {1}, .action = control::FailureAction::ignore});
  if (random.chance(0.05))
    run.failure_rules.push_back({.exit_codes = {139}, .action = control::FailureAction::restart_job});
  if (random.chance(0.05)) run.failure_rules.push_back({.exit_codes = {83}, .action = control::FailureAction::fail});
  if (random.chance(0.1)) run.keep_pods = random.chance(0.5) ? control::KeepPods::failed : control::KeepPods::none;
}

void World::create_job() {
  spec_.uid = "uid-" + std::to_string(++jobs_created_);
  spec_.generation = 1;
  api_.jobs.put(job_key, {std::make_shared<const JobSpec>(spec_), {}});
}

void World::go_wrong(int rounds) {
  for (int n = 0; n < rounds; ++n) {
    if (faults_.by_chance()) user_acts();
    round();
  }
}

void World::round() {
  Random& random = faults_.random();
  const bool fair = !faults_.by_chance() || faults_.have_ended();
  const auto comes_about = [&](double probability) { return fair || random.chance(probability); };
  if (!leader_ && comes_about(0.3)) elect();
  if (leader_ && comes_about(0.5)) leader_->watch_something();
  if (leader_ && fair) leader_->catch_up();
  if (leader_ && comes_about(0.3)) leader_->poll_report();
  if (comes_about(0.6)) operator_turn();
  if (comes_about(0.6) && !api_server_is_away()) nodes_.step_pods();
  if (comes_about(0.7)) nodes_.step_processes();
  if (comes_about(0.3) && (!bug_ || bug_->owners_are_set)) api_.collect_garbage();
  clock_.advance(milliseconds(fair ? 500 : random.below(random.chance(0.1) ? 20'000 : 1'000)));
  if (faults_.strikes(Fault::clock_is_set)) {
    clock_.time += std::chrono::hours(faults_.asked(Fault::clock_is_set) % 2 == 0 ? 1 : -1);
  }
}

bool World::api_server_is_away() const {
  return !faults_.have_ended() && clock_.steady < api_.away_until;
}

// An operator that starts has to list everything first.
void World::elect() {
  if (api_server_is_away()) return;
  constexpr Release in_turn[] = {Release::present, Release::newer, Release::older};
  const Release release = releases_differ_ ? in_turn[operators_.size() % std::size(in_turn)] : Release::only;
  operators_.push_back(std::make_unique<OperatorProcess>(
      api_, nodes_, checkers_, faults_, clock_, bug_ ? bug_->wiring : OperatorProcess::Wiring{}, [this] { pause(); },
      "release-" + std::to_string(operators_.size() + 1), release));
  leader_ = operators_.back().get();
}

void World::operator_turn() {
  if (!leader_) return;
  OperatorProcess* const acting = leader_;
  leader_ = nullptr;  // it acts only once at a time, also when the world goes on while it is paused
  try {
    acting->loop().turn();
  } catch (const OperatorDied&) {
    return;
  }
  if (!leader_) leader_ = acting;
}

// The world goes on while an operator stands in the middle of its turn; another may come to lead meanwhile.
void World::pause() {
  constexpr int deepest = 3;
  if (depth_ >= deepest) return;
  ++depth_;
  const std::uint64_t rounds = faults_.by_chance() ? 1 + faults_.random().below(30) : 12;
  if (faults_.by_chance() ? faults_.random().chance(0.7) : true) elect();
  for (std::uint64_t n = 0; n < rounds; ++n) round();
  --depth_;
}

void World::change_spec(const std::function<void(JobSpec&)>& change) {
  const JobObject* job = api_.jobs.find(job_key);
  if (!job) return;
  JobSpec spec = *job->spec;
  change(spec);
  ++spec.generation;
  JobObject changed = *job;
  changed.spec = std::make_shared<const JobSpec>(spec);
  api_.jobs.put(job_key, std::move(changed));
}

void World::user_acts() {
  Random& random = faults_.random();
  if (random.chance(0.005)) change_spec([](JobSpec& spec) { spec.run.suspend = !spec.run.suspend; });
  if (random.chance(0.005)) {
    change_spec([&](JobSpec& spec) {
      if (spec.own || spec.config.strategy == train::Strategy::single) return;
      spec.config.workers.max = spec.config.workers.min + static_cast<int>(random.below(2));
    });
  }
  if (random.chance(0.002) && api_.jobs.find(job_key)) api_.jobs.erase(job_key);
  if (random.chance(0.02) && !api_.jobs.find(job_key)) create_job();
}

std::string World::calm_down() {
  faults_.end();
  run_until_settled();
  change_spec([](JobSpec& spec) { spec.run.suspend = false; });
  run_until_settled();
  expect_rest();
  expect_that_others_run();
  const JobObject* job = api_.jobs.find(job_key);
  if (!job) return "Deleted";
  return find(job->status, is_finished(job->status) ? ConditionType::finished : ConditionType::running)->reason;
}

void World::run_until_settled() {
  constexpr int enough = 4'000;
  // All pauses of a job with so few restarts add up to less. A member may be replaced once in ten minutes for a report.
  const std::chrono::minutes settles_within(nodes_.was_any_stuck() ? 30 : 10);
  const control::Instant begin = clock_.steady;
  int quiet = 0;
  control::Version before = 0;
  for (int n = 0; n < enough; ++n) {
    round();
    const control::Version written = api_.jobs.version() + api_.pods.version();
    quiet = unsettled() || written != before ? 0 : quiet + 1;
    before = written;
    if (quiet == 10) break;
    clock_.advance(control::seconds(5));
  }
  if (quiet < 10) {
    const std::string why = unsettled().value_or("it does not come to rest");
    violated(api_.jobs.find(job_key) ? stuck : "nothing is left of a deleted job", why);
  }
  const control::RunPolicy& run = spec_.run;  // Deadlines are times of day, so they move with the clock.
  const bool has_deadline =
      run.start_deadline || run.active_deadline || run.progress_deadline || run.ttl_after_finished;
  if (!has_deadline && clock_.steady - begin > settles_within)
    violated("a clock that is set holds nothing", "the job took longer than all its pauses");
}

std::optional<std::string> World::unsettled() const {
  const JobObject* job = api_.jobs.find(job_key);
  if (job && control::next_deadline(job->status, *job->spec, {}, std::chrono::floor<control::seconds>(clock_.now())))
    return "a deadline is to come";
  if (nodes_.is_any_silent()) return "a node is silent";
  if (nodes_.hangs_any()) return "a process hangs";
  if (!job || is_finished(job->status)) return leftovers();
  if (job->spec->run.suspend && holds(job->status, ConditionType::suspended)) return leftovers();
  if (waits_by_name()) return std::nullopt;
  std::string conditions;
  for (const control::Condition& condition : job->status.conditions) {
    const bool says_why = condition.holds || condition.type == ConditionType::running;
    if (says_why) conditions += condition.reason + " " + condition.message + "; ";
  }
  return "the job has neither ended nor said what it waits for: " + conditions;
}

std::optional<std::string> World::leftovers() const {
  const JobObject* job = api_.jobs.find(job_key);
  for (const auto& [name, pod] : api_.pods.objects()) {
    const bool exited = pod.object.shown.state == ProcessState::exited;
    const bool kept =
        job && exited && (!is_finished(job->status) || is_kept(job->spec->run, pod.object.shown.exit_code));
    if (!kept && !nodes_.on_dead_node(name)) return "left: " + name;
  }
  for (const Store<SharedObject>* shared : {&api_.services, &api_.configs, &api_.keys}) {
    if (job && shared == &api_.keys) continue;  // It stays as long as its job.
    if (!shared->objects().empty()) return "left: " + shared->objects().begin()->first;
  }
  return std::nullopt;
}

bool World::waits_by_name() const {
  return waits_for(afflictions_.unschedulable, "Unschedulable", "no node has room") ||
         waits_for(afflictions_.over_quota, "QuotaExceeded", "not created: quota exceeded") || waits_for_a_valid_pod();
}

// Its check was not answered.
bool World::waits_for_a_valid_pod() const {
  if (!afflictions_.invalid_pod) return false;
  const control::Condition* running = find(api_.jobs.find(job_key)->status, ConditionType::running);
  return running && !running->holds && running->reason == "Denied" &&
         running->message.find(std::string("not created: ") + invalid_pod) != std::string::npos;
}

bool World::waits_for(const std::optional<train::Member>& member, const std::string& reason,
                      const std::string& words) const {
  const JobObject* job = api_.jobs.find(job_key);
  const control::Condition* running = find(job->status, ConditionType::running);
  return member && running && !running->holds && running->reason == reason &&
         running->message.find(control::describe(*member) + ": " + words) != std::string::npos;
}

void World::expect_that_others_run() const {
  const JobObject* job = api_.jobs.find(job_key);
  if (!job || is_finished(job->status) ||
      !waits_for(afflictions_.over_quota, "QuotaExceeded", "not created: quota exceeded"))
    return;
  for (const train::Member& member : control::members_of(*job->spec)) {
    const bool runs = std::ranges::any_of(api_.pods.objects(), [&](const auto& pod) {
      const control::ObservedProcess& shown = pod.second.object.shown;
      return shown.member == member && shown.state == ProcessState::running;
    });
    if (runs || member == afflictions_.over_quota || member == afflictions_.unschedulable) continue;
    if (member == afflictions_.always_fails || member.role == afflictions_.invalid_pod) continue;
    // Workers above min leave their nodes to it.
    const bool lacks_node = afflictions_.unschedulable && afflictions_.unschedulable->role != train::Role::worker;
    const bool may_leave = member.index >= control::min_of(*job->spec, train::Role::worker);
    if (lacks_node && member.role == train::Role::worker && may_leave) continue;
    const auto start = job->status.members.find(member);
    if (start != job->status.members.end() && start->second.done) continue;
    violated("a refusal rests only its member", control::describe(member) + " does not run while " +
                                                    control::describe(*afflictions_.over_quota) + " rests");
  }
}

// A settled job is left alone: nothing is written any more. One that waits may still end: by the work of a process that
// runs on though its pod is gone.
void World::expect_rest() {
  const control::Version before = api_.jobs.version() + api_.pods.version();
  const JobObject* settled = api_.jobs.find(job_key);
  const bool was_waiting = settled && !is_finished(settled->status);
  constexpr int rounds = 40;
  for (int n = 0; n < rounds; ++n) round();
  const JobObject* job = api_.jobs.find(job_key);
  if (was_waiting && job && is_finished(job->status)) return;
  if (api_.jobs.version() + api_.pods.version() != before) violated(stuck, "a settled job is still worked on");
}

}  // namespace carrack::simulation
