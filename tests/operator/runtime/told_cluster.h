// A cluster that says what it was asked and answers as it is told, and a loop over it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "operator/error.h"
#include "operator/runtime/loop.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {

using std::chrono::milliseconds;

struct SteppedClock : Clock {
  Moment time{std::chrono::sys_days{std::chrono::year(2026) / 1 / 1}};
  Moment now() const override { return time; }
};

// Says what it was asked, in order; answers as told.
class ToldCluster : public Cluster {
 public:
  Snapshot observe(const std::string& job, Reading reading) override {
    calls.push_back((reading == Reading::quorum ? "quorum " : "cached ") + job);
    if (unreachable) throw Error(Blame::platform, "no connection");
    Snapshot snapshot{JobRecord{spec, status, seen[0]}, {}, seen};
    if (gone) snapshot.job.reset();
    return snapshot;
  }
  Reply put_status(const std::string&, Version read, const JobStatus& written) override {
    calls.push_back("put against " + std::to_string(read));
    if (put_answer == Answer::done) status = written;
    return {put_answer, read + 1, ""};
  }
  Reply apply(const std::string&, const JobSpec&, const Action& action) override {
    const auto* withdraw = std::get_if<WithdrawProcess>(&action);
    calls.push_back("apply " + (withdraw ? withdraw->name : std::get<DeleteProcess>(action).name));
    const Answer answer = apply_answers.empty() ? Answer::done : apply_answers.front();
    if (!apply_answers.empty()) apply_answers.pop_front();
    return {answer, apply_version, "because"};
  }
  void watch(std::function<void(const std::string&)>) override {}

  std::vector<std::string> heard() { return std::exchange(calls, {}); }

  JobSpec spec = some_job();
  JobStatus status;
  Versions seen{10, 70, 30};
  bool gone = false;
  bool unreachable = false;
  Answer put_answer = Answer::done;
  std::deque<Answer> apply_answers;
  Version apply_version = 71;
  std::vector<std::string> calls;
};

class LoopTest : public testing::Test {
 protected:
  // Two actions, whatever is seen.
  Loop loop{cluster, clock,
            [this](const JobSpec&, const JobStatus& status, const Observed& observed, Time) {
              refused = observed.refused;
              if (broken) throw std::out_of_range("map::at");
              return Decision{status, actions, wake_at};
            },
            [this](const Look& look) { looks.push_back(look); }};
  void turn_after(milliseconds pause) {
    clock.time += pause;
    loop.turn();
  }

  ToldCluster cluster;
  SteppedClock clock;
  std::vector<Action> actions = {WithdrawProcess{"a"}, DeleteProcess{"b", seconds(1)}};
  std::optional<Time> wake_at;
  bool broken = false;
  std::string refused;
  std::vector<Look> looks;
};

}  // namespace carrack::control
