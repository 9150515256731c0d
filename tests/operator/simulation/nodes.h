// The machines of the simulated world: they start what pods ask for, show how it ends, and break.
// A dead node shows nothing any more; its processes may well go on, as zombies that peers and HEAD have to refuse.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/operator/simulation/api.h"
#include "tests/operator/simulation/peers.h"

namespace carrack::simulation {

// Members that never do well, whatever the operator does.
struct Afflictions {
  std::optional<train::Member> unschedulable;
  std::optional<train::Member> over_quota;  // its creates are refused
  std::optional<train::Role> invalid_pod;   // its pods are not valid
  std::optional<int> room;                  // for so many processes
  std::optional<train::Member> always_fails;
  std::optional<train::Member> user_error;
  bool unreachable = false;  // nobody can read a leader's progress
  bool stays_stuck = false;  // an operator of an earlier release replaces no process for a report
};

class Nodes {
 public:
  Nodes(Api& api, Folder& folder, Checkers& checkers, Faults& faults, const PeerRules& rules,
        const Afflictions& afflictions, bool has_probes);

  bool is_over_quota(const train::Member& member) const { return afflictions_.over_quota == member; }
  bool is_invalid(const control::Process& process) const {
    return afflictions_.invalid_pod == process.launch.member.role;
  }
  // Jobs of that name have a checkpoint folder of their own.
  void use_folder(const std::string& job, Folder& folder);
  std::size_t running() const;                   // processes that hold room
  void accept(const control::Process& process);  // a pod was created
  void step_pods();                              // kubelets and the node controller
  void step_processes();
  Peer& process_of(const std::string& pod);  // of one that was started
  bool on_dead_node(const std::string& pod) const;
  bool is_any_silent() const;  // and its pods are still to be taken away
  bool hangs_any() const;      // of the processes that a node watches
  bool was_any_stuck() const { return was_any_stuck_; }
  std::optional<control::CoordinatorReport> report_of(const control::JobSpec& spec) const;

 private:
  struct Placed {
    train::Launch launch;
    std::string key;          // the object that it mounts, if any
    Peer* process = nullptr;  // nullptr: not started yet
    bool node_is_dead = false;
    bool counted = false;  // its end was told to the checkers
    int asked_for = 0;     // rounds since it was asked to leave; one counts for a second
    int hangs_for = 0;     // rounds in which it did not answer its node
    int silent_for = 0;    // rounds since its node fell silent; 0 if it has not
  };

  void step_pod(const std::string& name, Placed& placed);
  void start(const std::string& name, Placed& placed);
  void break_something(const std::string& name, Placed& placed);
  void crash(Placed& placed);
  void get_stuck(Placed& placed);
  void forge(control::CoordinatorReport& report, const std::string& uid) const;
  void probe(const std::string& name, Placed& placed);
  void show(const std::string& name, Placed& placed);
  std::optional<control::CoordinatorReport> final_report_of(const Placed& placed) const;
  bool is(const std::optional<train::Member>& affliction, const Placed& placed) const;
  bool has_config(const std::string& uid) const;
  bool has_own_program(const std::string& uid) const;
  Leader* find_leader(const std::string& uid);
  Surroundings& around_of(const std::string& job);

  Api& api_;
  Checkers& checkers_;
  Faults& faults_;
  const Afflictions& afflictions_;
  const bool has_probes_;
  Surroundings around_;
  std::map<std::string, Surroundings> own_around_;  // by job, of those with a folder of their own
  std::map<std::string, Placed> placed_;            // by pod
  std::vector<std::unique_ptr<Peer>> processes_;    // all ever started
  std::vector<Peer*> living_;
  bool was_any_stuck_ = false;
};

}  // namespace carrack::simulation
