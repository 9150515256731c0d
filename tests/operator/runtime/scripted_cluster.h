// A cluster that records its calls and returns what a test has set, and a loop over it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "operator/error.h"
#include "operator/runtime/loop.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {

using std::chrono::milliseconds;

// `time` is that of both clocks until the wall clock is set.
struct SteppedClock : Clock {
  Moment time{std::chrono::sys_days{std::chrono::year(2026) / 1 / 1}};
  milliseconds set_by{0};
  Moment now() const override { return time + set_by; }
  Instant steady_now() const override { return Instant(time.time_since_epoch()); }
};

// Records its calls in order and returns what is set.
class ScriptedCluster : public Cluster {
 public:
  Snapshot observe(const std::string& job, Reading reading) override {
    calls.push_back((reading == Reading::quorum ? "quorum " : "cached ") + job);
    if (unreachable) throw Error(Blame::platform, "no connection");
    Snapshot snapshot{JobRecord{spec, status, seen[0], unknown_in_spec}, {}, seen};
    snapshot.observed.processes = processes;
    if (gone) snapshot.job.reset();
    return snapshot;
  }
  Reply put_status(const std::string&, Version read, const JobStatus& written) override {
    calls.push_back("put against " + std::to_string(read));
    if (put_result == WriteResult::done) status = written;
    return {put_result, read + 1, ""};
  }
  Reply apply(const std::string&, const JobSpec&, const Action& action) override {
    calls.push_back("apply " + child_of(action));
    const WriteResult result = apply_results.empty() ? WriteResult::done : apply_results.front();
    if (!apply_results.empty()) apply_results.pop_front();
    Reply reply{result, apply_version, "because"};
    reply.over_quota = over_quota;
    reply.is_invalid = std::holds_alternative<CheckProcess>(action) && result == WriteResult::refused;
    return reply;
  }
  std::vector<Reply> apply_all(const std::string& job, const JobSpec& some, std::span<const Action> actions) override {
    batches.push_back(actions.size());
    return Cluster::apply_all(job, some, actions);
  }
  void watch(std::function<void(const std::string&)>) override {}

  std::vector<std::string> take_calls() { return std::exchange(calls, {}); }

  JobSpec spec = some_job();
  JobStatus status;
  Versions seen{10, 70, 30};
  std::vector<ObservedProcess> processes;
  std::string unknown_in_spec;
  bool gone = false;
  bool unreachable = false;
  WriteResult put_result = WriteResult::done;
  std::deque<WriteResult> apply_results;
  Version apply_version = 71;
  bool over_quota = false;
  std::vector<std::string> calls;
  std::vector<std::size_t> batches;
};

class LoopTest : public testing::Test {
 protected:
  // Decides on the same actions in every pass.
  Loop loop{cluster, clock,
            [this](const JobSpec&, const JobStatus& status, const Observed& observed, Time) {
              answers = observed.answers;
              processes = observed.processes;
              has_key = observed.has_key;
              if (broken) throw std::out_of_range("map::at");
              Decision decision{status, actions, wake_at};
              if (change) change(decision.status);
              return decision;
            },
            [this](const Pass& pass) { passes.push_back(pass); }};
  void turn_after(milliseconds pause) {
    clock.time += pause;
    loop.turn();
  }

  ScriptedCluster cluster;
  SteppedClock clock;
  std::vector<Action> actions = {WithdrawProcess{"a"}, DeleteProcess{"b", seconds(1)}};
  std::optional<Time> wake_at;
  bool broken = false;
  std::function<void(JobStatus&)> change;  // by each decision
  LastRefusals answers;
  bool has_key = false;
  std::vector<ObservedProcess> processes;
  std::vector<Pass> passes;
};

}  // namespace carrack::control
