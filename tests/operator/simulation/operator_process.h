// One run of the operator: the real loop over caches that lag apart, calls that fail, and a clock of the world's.
// It may die or be paused before any call; paused, it goes on later with the decision it had, leader or not.
// As the cluster that its loop sees, it checks what the loop owes: status before action, no view older than its writes,
// a rest and the same incarnation after a refusal, and few writes of reports alone, no grace for what hangs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "operator/runtime/loop.h"
#include "tests/operator/core/decide.h"
#include "tests/operator/simulation/nodes.h"
#include "tests/operator/simulation/releases.h"

namespace carrack::simulation {

constexpr const char* invalid_pod = "the pod is not valid";

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
    bool patches_status = true;
    control::WriteIntervals intervals = {};
  };

  OperatorProcess(Api& api, Nodes& nodes, Checkers& checkers, Faults& faults, const WorldClock& clock,
                  const Wiring& wiring, std::function<void()> pause, std::string image,
                  Release release = Release::only);

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
  void wake_all();
  void check_view() const;
  void check_incarnations(const control::JobSpec& spec, const control::JobStatus& before,
                          const control::JobStatus& after) const;
  void note_write(const control::JobSpec& spec, const control::JobStatus& before, const control::JobStatus& after);
  void check_writes();
  void date_silences(const std::string& job, const control::Snapshot& snapshot);
  void check_grace(const control::Action& action) const;
  control::Reply check_pod(const control::JobSpec& spec, const control::Process& process);
  std::optional<control::Reply> refuse(const control::Action& action);
  control::Reply reply(const std::string& job, std::optional<control::Kind> kind, control::Version version);
  // 0: it was so already
  control::Version carry_out(const std::string& job, const control::JobSpec& spec, const control::Action& action);
  control::Version create(const std::string& job, const control::JobSpec& spec, const control::Process& process);

  Api& api_;
  Nodes& nodes_;
  Checkers& checkers_;
  Faults& faults_;
  const WorldClock& clock_;
  std::function<void()> pause_;
  const std::string image_;  // of its release
  const Release release_;
  const bool patches_status_;
  View<JobObject> jobs_;
  View<PodObject> pods_;
  View<SharedObject> services_;
  View<SharedObject> configs_;
  std::map<std::string, control::CoordinatorReport> reports_;  // by the UID of the job
  std::function<void(const std::string&)> wake_;
  std::unique_ptr<control::Cluster> planted_;
  std::unique_ptr<control::Loop> loop_;

  std::map<std::string, control::Versions> decided_on_;  // by job, in this run
  std::map<std::string, control::Versions> written_;     // by job, in this run
  control::Versions owed_{};                             // of the job of its last look, what it had written before
  control::Versions seen_{};                             // by its last look
  bool status_written_ = false;                          // since its last look
  std::map<std::string, control::Instant> changed_at_;   // by UID, when this run last changed its status
  bool wrote_only_reports_ = false;  // since its last look, soon after another write, for no new action
  control::Instant looked_at_{};     // last, at what it could decide on
  std::map<std::string, control::Instant>
      silent_since_;               // of processes that were so at the last look it could decide on
  bool has_seen_nothing_ = false;  // at its last look: no process, of a job that never ran
  // The creates that this run was refused, and never anything else; nullopt: when it need not rest.
  std::map<std::string, std::optional<control::Instant>> refused_;
  std::set<std::string> found_invalid_;  // UIDs of jobs of which the last check found an invalid pod
};

}  // namespace carrack::simulation
