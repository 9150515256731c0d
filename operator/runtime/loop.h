// Takes a job that something happened to, looks, decides, writes the status, acts, and sleeps until the next one.
// One Loop knows nothing at first, and all that it did until its end. It guarantees, of every job:
// - no action without its decision's status written just before, against the version that was read, even if unchanged;
// - no decision on a view of a kind that is older than this loop's last write of that kind: it waits for events, and
// after
//   a second reads by quorum; after a write whose outcome or version is unknown it reads by quorum at once;
// - actions in order, none after one that was not done; then the job is decided on anew, after a growing pause;
// - if deciding throws, the job is parked (reason OperatorBug) until its spec changes, and the others go on.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>

#include "operator/runtime/cluster.h"
#include "operator/runtime/queue.h"

namespace carrack::control {

// One look at a job, for whoever counts and logs.
struct Look {
  enum class Result { rests, waits_for_watches, acted, not_done, parked, cluster_failed };
  std::string job;
  Result result = Result::rests;
  std::string why;  // of what was not done
  std::chrono::milliseconds took{0};
  std::size_t queued = 0;  // jobs that wait, after it
};

class Loop {
 public:
  using Decide = std::function<Decision(const JobSpec&, const JobStatus&, const Observed&, Time)>;
  using Looked = std::function<void(const Look&)>;

  Loop(
      Cluster& cluster, const Clock& clock, Decide decide, Looked looked = [](const Look&) {});

  // Something happened to this job. From any thread.
  void wake(const std::string& job);

  // Looks after one job that is due, if one is; says when the next one will be.
  std::optional<Moment> turn();

  // Turns until asked to stop.
  void run(const std::stop_token& stop);

  // When the present look began, if there is one. From any thread.
  std::optional<Moment> looks_since() const;

 private:
  // What is remembered of a job between two looks. Losing it costs a quorum list: a new Loop begins with one.
  struct Memory {
    Versions known{};                       // the newest of each kind that was written, or decided on
    bool unsure = false;                    // a write's outcome or version is unknown
    std::optional<Moment> stale_since;      // since when its view is older than our own writes
    std::string uid;                        // of the job that all this is about
    std::optional<std::int64_t> parked_at;  // the generation whose deciding threw
    std::string refused;
    bool is_gone = false;
  };
  Look look_after(const std::string& job);
  Look::Result look_at(const std::string& job, Memory& memory);
  Snapshot look(const std::string& job, Memory& memory);
  bool is_fresh(const std::string& job, Memory& memory, const Snapshot& snapshot);
  std::optional<Decision> decide(const std::string& job, Memory& memory, const JobRecord& record, Observed observed);
  Look::Result carry_out(const std::string& job, Memory& memory, const JobRecord& record, const Decision& decision);
  bool put(const std::string& job, Memory& memory, Version read, const JobStatus& status);
  bool act(const std::string& job, Memory& memory, const JobSpec& spec, const Action& action);

  Cluster& cluster_;
  const Clock& clock_;
  Decide decide_;
  Looked looked_;
  std::atomic<Moment::rep> looks_since_ = 0;  // 0: it does not
  std::string why_;                           // something was not done in the present look
  Queue queue_;
  std::map<std::string, Memory> memories_;
  Versions forgotten_{};  // what was known of jobs that are gone: older lists must not bring them back

  std::mutex mutex_;  // of what follows
  std::condition_variable_any rung_;
  std::set<std::string> woken_;
};

}  // namespace carrack::control
