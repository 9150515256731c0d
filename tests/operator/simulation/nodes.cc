#include "tests/operator/simulation/nodes.h"

#include <algorithm>

namespace carrack::simulation {

using control::ObservedProcess;
using control::ProcessState;

constexpr int training_steps = 10;
constexpr int eviction_rounds = 20;  // from when a node falls silent until its pods are taken away
constexpr int probe_rounds = 10;     // from when a process hangs until its node shows that it does not answer

Nodes::Nodes(Api& api, Folder& folder, Checkers& checkers, Faults& faults, const PeerRules& rules,
             const Afflictions& afflictions, bool has_probes)
    : api_(api),
      checkers_(checkers),
      faults_(faults),
      afflictions_(afflictions),
      has_probes_(has_probes),
      around_{folder, rules, training_steps, [this](const std::string& uid) { return find_leader(uid); }} {}

void Nodes::use_folder(const std::string& job, Folder& folder) {
  own_around_.emplace(job, Surroundings{folder, around_.rules, around_.last_step, around_.find_leader});
}

Surroundings& Nodes::around_of(const std::string& job) {
  const auto own = own_around_.find(job);
  return own == own_around_.end() ? around_ : own->second;
}

std::size_t Nodes::running() const {
  return static_cast<std::size_t>(std::ranges::count_if(placed_, [](const auto& placed) {
    return placed.second.process && placed.second.process->lives() && !placed.second.node_is_dead;
  }));
}

void Nodes::accept(const control::Process& process) {
  placed_[process.name].launch = process.launch;
  placed_[process.name].key = process.key;
}

void Nodes::step_pods() {
  std::vector<std::string> names;
  for (const auto& [name, placed] : placed_) names.push_back(name);
  // Where pods compete for room, none is always the first.
  if (afflictions_.room && !names.empty()) {
    std::ranges::rotate(names, names.begin() + static_cast<std::ptrdiff_t>(faults_.random().below(names.size())));
  }
  for (const std::string& name : names) {
    if (api_.pods.find(name)) step_pod(name, placed_.at(name));
  }
  std::erase_if(placed_, [&](const auto& placed) { return !api_.pods.find(placed.first); });
}

void Nodes::step_pod(const std::string& name, Placed& placed) {
  break_something(name, placed);
  const PodObject* pod = api_.pods.find(name);
  if (!pod) return;
  ObservedProcess shown = pod->shown;
  if (placed.silent_for > 0 && ++placed.silent_for > eviction_rounds) placed.node_is_dead = true;
  if (placed.node_is_dead) {  // the node controller takes it away; nobody is there to confirm
    shown.terminating = shown.disrupted = true;
    shown.cause = control::EndCause::node_lost;
    api_.change_pod(name, shown);
    return;
  }
  if (placed.silent_for > 0) return;
  if (!placed.process && !shown.terminating) return start(name, placed);
  if (placed.process && shown.terminating) {
    placed.process->asked_to_leave = true;
    if (++placed.asked_for > pod->grace.count()) placed.process->end(128 + 9);
  }
  if (placed.process && has_probes_) probe(name, placed);
  show(name, placed);
}

void Nodes::start(const std::string& name, Placed& placed) {
  ObservedProcess shown = api_.pods.find(name)->shown;
  const bool is_full = afflictions_.room && running() >= static_cast<std::size_t>(*afflictions_.room);
  if (is_full || is(afflictions_.unschedulable, placed)) {
    shown.message = "no node has room";
    shown.wait = control::Wait::unschedulable;
    return api_.change_pod(name, shown);
  }
  const int number = static_cast<int>(processes_.size()) + 1;
  if (has_own_program(placed.launch.job_uid)) {
    processes_.push_back(std::make_unique<OwnProcess>(placed.launch, number, around_of(placed.launch.job)));
  } else {
    const bool has_key = placed.key.empty() || api_.keys.find(placed.key);
    if (!has_config(placed.launch.job_uid) || !has_key) return;  // its volume cannot be mounted
    processes_.push_back(make_peer(placed.launch, number, around_of(placed.launch.job)));
  }
  placed.process = processes_.back().get();
  living_.push_back(placed.process);
  checkers_.ran(placed.launch.job_uid);
  if (is(afflictions_.always_fails, placed)) placed.process->end(train::Exit::platform_error);
  if (is(afflictions_.user_error, placed)) placed.process->end(train::Exit::user_error);
  shown.state = ProcessState::running;
  shown.message = "";
  shown.wait = control::Wait::starting;
  api_.change_pod(name, shown);
}

void Nodes::show(const std::string& name, Placed& placed) {
  ObservedProcess shown = api_.pods.find(name)->shown;
  if (placed.process && !placed.process->lives() && shown.state != ProcessState::exited) {
    shown.state = ProcessState::exited;
    shown.exit_code = *placed.process->exit_code;
    shown.silent_since.reset();
    shown.final_report = final_report_of(placed);
    if (!placed.counted) checkers_.exited(placed.launch.job_uid, shown.member, shown.fence.attempt, shown.exit_code);
    placed.counted = true;
    api_.change_pod(name, shown);
  }
  const bool over = !placed.process || !placed.process->lives();
  if (shown.terminating && over) api_.pods.erase(name);
}

// What ended by itself has reported; what was killed has not.
std::optional<control::CoordinatorReport> Nodes::final_report_of(const Placed& placed) const {
  const auto* leader = dynamic_cast<const Leader*>(placed.process);
  const int code = *placed.process->exit_code;
  const bool ended_by_itself = std::ranges::any_of(
      train::spellings<train::Exit>, [&](const auto& exit) { return static_cast<int>(exit.value) == code; });
  return leader && ended_by_itself ? leader->report() : std::nullopt;
}

void Nodes::break_something(const std::string& name, Placed& placed) {
  ObservedProcess shown = api_.pods.find(name)->shown;
  if (placed.process && placed.process->lives() && faults_.strikes(Fault::process_crashes)) crash(placed);
  if (placed.process && placed.process->lives() && faults_.strikes(Fault::process_hangs)) placed.process->hangs = true;
  if (placed.process && placed.process->lives() && faults_.strikes(Fault::process_is_stuck)) get_stuck(placed);
  if (!shown.terminating && faults_.strikes(Fault::process_evicted)) {
    shown.terminating = shown.disrupted = true;
    api_.change_pod(name, shown);
  }
  if (faults_.strikes(Fault::node_dies)) {
    placed.node_is_dead = true;
    if (placed.process && faults_.random().chance(0.5)) placed.process->end(255);
  }
  if (placed.silent_for == 0 && faults_.strikes(Fault::node_falls_silent)) {
    placed.silent_for = 1;
    if (placed.process && faults_.random().chance(0.5)) placed.process->end(255);
  }
  if (faults_.strikes(Fault::pod_vanishes)) {
    if (placed.process && faults_.random().chance(0.5)) placed.process->end(255);
    api_.pods.erase(name);
  }
}

// A program of the user has a liveness probe of its own. The time that a node says means nothing to others.
void Nodes::probe(const std::string& name, Placed& placed) {
  placed.hangs_for = placed.process->hangs ? placed.hangs_for + 1 : 0;
  if (placed.hangs_for <= probe_rounds || !placed.process->lives()) return;
  if (has_own_program(placed.launch.job_uid)) return placed.process->end(128 + 9);
  ObservedProcess shown = api_.pods.find(name)->shown;
  shown.silent_since = control::Time{};
  api_.change_pod(name, shown);
}

void Nodes::crash(Placed& placed) {
  constexpr int codes[] = {static_cast<int>(train::Exit::platform_error), static_cast<int>(train::Exit::bug), 1, 137,
                           139};
  placed.process->end(codes[faults_.random().below(std::size(codes))]);
}

// If nobody reads of it, the job waits for it for ever.
void Nodes::get_stuck(Placed& placed) {
  if (afflictions_.unreachable || afflictions_.stays_stuck || dynamic_cast<Follower*>(placed.process) == nullptr)
    return;
  placed.process->stuck = was_any_stuck_ = true;
}

void Nodes::forge(control::CoordinatorReport& report, const std::string& uid) const {
  for (const auto& [name, placed] : placed_) {
    if (placed.launch.job_uid != uid) continue;
    const int incarnation = placed.launch.fence.incarnation;
    for (const int one : {incarnation - 1, incarnation, incarnation + 1}) {
      report.hung.push_back({placed.launch.member, one, "is forged"});
    }
  }
}

void Nodes::step_processes() {
  std::erase_if(living_, [](const Peer* peer) { return !peer->lives(); });
  const std::vector<Peer*> peers = living_;
  for (Peer* peer : peers) {
    if (peer->lives() && !peer->hangs && (!faults_.by_chance() || faults_.random().chance(0.8))) peer->step();
  }
}

Peer& Nodes::process_of(const std::string& pod) {
  return *placed_.at(pod).process;
}

bool Nodes::on_dead_node(const std::string& pod) const {
  const auto placed = placed_.find(pod);
  return placed != placed_.end() && placed->second.node_is_dead;
}

bool Nodes::is_any_silent() const {
  return std::ranges::any_of(placed_, [](const auto& pod) {
    const Placed& placed = pod.second;
    return placed.silent_for > 0 && !placed.node_is_dead;
  });
}

bool Nodes::hangs_any() const {
  return std::ranges::any_of(placed_, [](const auto& pod) {
    const Placed& placed = pod.second;
    return placed.process && placed.process->lives() && placed.process->hangs && !placed.node_is_dead;
  });
}

bool Nodes::is(const std::optional<train::Member>& affliction, const Placed& placed) const {
  return affliction && *affliction == placed.launch.member;
}

bool Nodes::has_own_program(const std::string& uid) const {
  return std::ranges::any_of(api_.jobs.objects(), [&](const auto& job) {
    const control::JobSpec& spec = *job.second.object.spec;
    return spec.uid == uid && spec.own;
  });
}

bool Nodes::has_config(const std::string& uid) const {
  const auto& configs = api_.configs.objects();
  return std::any_of(configs.begin(), configs.end(),
                     [&](const auto& config) { return config.second.object.owner == uid; });
}

Leader* Nodes::find_leader(const std::string& uid) {
  std::vector<Leader*> found;
  for (const auto& [name, pod] : api_.pods.objects()) {
    const auto placed = placed_.find(name);
    if (pod.object.owner != uid || !pod.object.shown.in_service || placed == placed_.end()) continue;
    auto* leader = dynamic_cast<Leader*>(placed->second.process);
    if (leader && leader->lives()) found.push_back(leader);
  }
  if (found.empty() || api_.services.objects().empty()) return nullptr;
  return found[faults_.random().below(found.size())];
}

std::optional<control::CoordinatorReport> Nodes::report_of(const control::JobSpec& spec) const {
  if (afflictions_.unreachable) return std::nullopt;
  for (const auto& [name, placed] : placed_) {
    auto* leader = dynamic_cast<Leader*>(placed.process);
    if (leader && leader->lives() && leader->uid == spec.uid && !placed.node_is_dead && placed.silent_for == 0) {
      std::optional<control::CoordinatorReport> report = leader->report();
      if (report && faults_.strikes(Fault::report_is_forged)) forge(*report, spec.uid);
      return report;
    }
  }
  return std::nullopt;
}

}  // namespace carrack::simulation
