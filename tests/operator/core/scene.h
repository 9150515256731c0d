// A valid job for tests, a world in which everything the operator decides comes true at once, and times to do it at.
#pragma once

#include <algorithm>
#include <string>
#include <variant>

#include "operator/core/restart.h"
#include "tests/operator/core/decide.h"
#include "trainer/launch/exit.h"

namespace carrack::control {

inline JobSpec some_job(int servers = 1, int workers = 2) {
  JobSpec spec;
  spec.name = "line";
  spec.uid = "1b4e28ba";
  spec.config.strategy = train::Strategy::parameter_server;
  spec.config.ps = {servers, servers};
  spec.config.workers = {1, workers};
  spec.config.model = train::LinearRegression{"x", "y"};
  spec.config.data = {{"data/*.tfrecord"},
                      {{"x", train::FeatureType::float32, 3}, {"y", train::FeatureType::float32, 1}}};
  spec.config.training.batch = 32;
  spec.config.checkpoint.folder = "out";
  return spec;
}

// With so many lanes that every worker has one.
inline JobSpec large_job(int workers) {
  JobSpec spec = some_job(1, workers);
  spec.config.training.batch = spec.config.training.lanes = 1024;
  return spec;
}

constexpr train::Member coordinator{train::Role::coordinator, 0};
constexpr train::Member ps(int index) {
  return {train::Role::ps, index};
}
constexpr train::Member worker(int index) {
  return {train::Role::worker, index};
}

// Applies what is decided, at once and without fault, but for what `refused` says.
class Scene {
 public:
  explicit Scene(JobSpec job = some_job()) : spec(std::move(job)) {}

  Decision decide() {
    Decision decision = control::decide(spec, status, observed, now);
    status = decision.status;
    for (const Action& action : decision.actions) std::visit([this](const auto& some) { apply(some); }, action);
    return decision;
  }

  void start_all() {
    decide();
    for (ObservedProcess& process : observed.processes) {
      if (process.state == ProcessState::pending) process.state = ProcessState::running;
    }
    decide();
  }

  ObservedProcess& current(const train::Member& member) {
    const train::Fence fence{status.attempt, status.members.at(member).incarnation};
    return *std::find_if(observed.processes.begin(), observed.processes.end(),
                         [&](const auto& process) { return process.member == member && process.fence == fence; });
  }

  bool has(const train::Member& member, const train::Fence& fence) const {
    return std::any_of(observed.processes.begin(), observed.processes.end(),
                       [&](const auto& process) { return process.member == member && process.fence == fence; });
  }

  void exits(const train::Member& member, train::Exit code, const std::string& words = "") {
    current(member).state = ProcessState::exited;
    current(member).exit_code = static_cast<int>(code);
    current(member).message = words;
    if (member == coordinator && code == train::Exit::succeeded) tells_the_last_commit();
  }

  void tells_the_last_commit() {
    observed.report =
        CoordinatorReport{current(coordinator).fence, {100, 100, 0.25}, LastCheckpoint{100, "checkpoint-100.manifest"}};
  }

  JobSpec spec;
  JobStatus status;
  Observed observed;
  std::map<train::Member, Refusal> refused;  // whose creates are answered by "no", and how
  bool is_deleted = false;
  bool deletes_late = false;  // a deleted process goes on, and is terminating
  Time now{std::chrono::sys_days{std::chrono::year(2026) / 1 / 1}};

 private:
  void apply(const CreateService&) { observed.has_service = true; }
  void apply(const CreateConfig&) { observed.has_config = true; }
  void apply(const CreateKey&) { observed.has_key = true; }
  void apply(const DeleteJob&) { is_deleted = true; }
  void apply(const DeleteService&) { observed.has_service = false; }
  void apply(const DeleteConfig&) { observed.has_config = false; }
  void apply(const CheckProcess&) {}
  void apply(const CreateProcess& create) {
    const auto refusal = refused.find(create.process.launch.member);
    const int in_a_row = observed.answers[create.process.name].in_a_row;
    const bool is_first = observed.answers[create.process.name].words.empty();
    observed.answers.erase(create.process.name);
    if (refusal != refused.end()) {
      observed.answers[create.process.name] = {refusal->second, "no", is_first ? 1 : in_a_row + 1, now};
      return;
    }
    ObservedProcess process;
    process.name = create.process.name;
    process.member = create.process.launch.member;
    process.fence = create.process.launch.fence;
    process.in_service = create.process.in_service;
    process.without_key = create.process.key.empty();
    observed.processes.push_back(process);
  }
  void apply(const WithdrawProcess& withdraw) {
    for (ObservedProcess& process : observed.processes) process.in_service &= process.name != withdraw.name;
  }
  void apply(const DeleteProcess& gone) {
    if (deletes_late) {
      for (ObservedProcess& process : observed.processes) process.terminating |= process.name == gone.name;
      return;
    }
    std::erase_if(observed.processes, [&](const auto& process) { return process.name == gone.name; });
  }
};

// All members restart, as a parameter server has failed once too often.
inline void restarts_all(Scene& scene) {
  scene.status.members.at(ps(0)).failures = member_failures_max - 1;
  scene.exits(ps(0), train::Exit::bug);
  scene.decide();
}

// The process exits, and the operator sees it.
inline void ends(Scene& scene, const train::Member& member, int exit_code) {
  scene.current(member).state = ProcessState::exited;
  scene.current(member).exit_code = exit_code;
  scene.decide();
}

template <class Kind>
std::vector<Kind> all(const Decision& decision) {
  std::vector<Kind> found;
  for (const Action& action : decision.actions) {
    if (const auto* one = std::get_if<Kind>(&action)) found.push_back(*one);
  }
  return found;
}

inline std::vector<std::string> names_of(const std::vector<CreateProcess>& creates) {
  std::vector<std::string> names;
  for (const CreateProcess& create : creates) names.push_back(create.process.name);
  return names;
}

}  // namespace carrack::control
