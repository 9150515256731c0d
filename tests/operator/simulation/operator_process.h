// One run of the operator: the real loop over caches that lag apart, calls that fail, and a clock of the world's.
// It may die or be paused before any call; paused, it goes on later with the decision it had, leader or not.
// As the cluster that its loop sees, it checks what the loop owes: status before action, no view older than its writes,
// a rest and the same incarnation after a refusal.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "operator/runtime/loop.h"
#include "tests/operator/core/decide.h"
#include "tests/operator/simulation/nodes.h"

namespace carrack::simulation {

// Thrown through the loop: no std::exception, so that nothing in it catches it.
struct OperatorDied {};

struct WorldClock : control::Clock {
  control::Moment time{std::chrono::sys_days{std::chrono::year(2026) / 1 / 1}};
  control::Instant steady{std::chrono::hours(1)};
  control::Moment now() const override { return time; }
  control::Instant steady_now() const override { return steady; }
  void advance(std::chrono::milliseconds by) {
    time += by;
    steady += by;
  }
};

class OperatorProcess : public control::Cluster {
 public:
  // A planted bug stands between the loop and this cluster, or between the loop and its decisions.
  struct Wiring {
    std::function<std::unique_ptr<control::Cluster>(control::Cluster&)> cluster;  // may be empty
    control::Loop::Decide decide = control::decide;
  };

  OperatorProcess(Api& api, Nodes& nodes, Checkers& checkers, Faults& faults, const WorldClock& clock,
                  const Wiring& wiring, std::function<void()> pause, std::string image);

  control::Loop& loop() { return *loop_; }
  void watch_something();  // one view catches up by one event, or starts again from an older list
  void catch_up();
  void poll_report();

  control::Snapshot observe(const std::string& job, control::Reading reading) override;
  control::Reply put_status(const std::string& job, control::Version read, const control::JobStatus& status) override;
  control::Reply apply(const std::string& job, const control::JobSpec& spec, const control::Action& action) override;
  void watch(std::function<void(const std::string&)> wake) override;

 private:
  void before_call();
  bool api_server_is_away() const;
  void check_view() const;
  void check_incarnations(const control::JobSpec& spec, const control::JobStatus& before,
                          const control::JobStatus& after) const;
  std::optional<control::Reply> refuse(const control::Action& action);
  control::Reply reply(control::Kind kind, control::Version version);
  control::Version carry_out(const control::JobSpec& spec, const control::Action& action);  // 0: it was so already
  control::Version create(const control::JobSpec& spec, const control::Process& process);

  Api& api_;
  Nodes& nodes_;
  Checkers& checkers_;
  Faults& faults_;
  const WorldClock& clock_;
  std::function<void()> pause_;
  const std::string image_;  // of its release
  View<JobObject> jobs_;
  View<PodObject> pods_;
  View<SharedObject> services_;
  View<SharedObject> configs_;
  std::optional<control::CoordinatorReport> report_;
  std::string reported_by_;  // the UID of the job that it is about
  std::function<void(const std::string&)> wake_;
  std::unique_ptr<control::Cluster> planted_;
  std::unique_ptr<control::Loop> loop_;

  control::Versions written_{};  // by this run
  control::Versions owed_{};     // what it had written before its last look
  control::Versions seen_{};     // by its last look
  bool status_written_ = false;  // since its last look
  // The creates that this run was refused, and never anything else; nullopt: when it need not rest.
  std::map<std::string, std::optional<control::Instant>> refused_;
};

}  // namespace carrack::simulation
