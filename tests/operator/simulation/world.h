// One simulated world: an API server, nodes, processes, a checkpoint folder, a user, and operators of which one leads.
// A round lets each of them do a little. While things go wrong rounds are random; afterwards they are fair, and the job
// has to end, or to say what it waits for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/operator/simulation/planted.h"

namespace carrack::simulation {

class World {
 public:
  // `releases_differ`: each operator is of another release than the one before.
  World(Faults faults, const PlantedBug* bug, bool releases_differ = false);

  void go_wrong(int rounds);
  std::string calm_down();  // how the job ends; throws a Violation where it does not
  std::uint64_t asked(Fault fault) const { return faults_.asked(fault); }

 private:
  void choose_job();
  void choose_run_policy(Random& random);
  void choose_pods(Random& random);
  void choose_own_program(Random& random);
  void create_job();
  void round();
  void operator_turn();
  bool api_server_is_away() const;
  void elect();
  void pause();
  void user_acts();
  void change_spec(const std::function<void(control::JobSpec&)>& change);
  void run_until_settled();
  std::optional<std::string> unsettled() const;
  std::optional<std::string> leftovers() const;
  bool waits_by_name() const;
  bool waits_for_a_valid_pod() const;
  bool waits_for(const std::optional<train::Member>& member, const std::string& reason, const std::string& words) const;
  void expect_that_others_run() const;
  void expect_rest();

  Faults faults_;
  const PlantedBug* bug_;
  const bool releases_differ_;
  PeerRules rules_;
  Checkers checkers_;
  Afflictions afflictions_;
  Api api_;
  Folder folder_;
  Nodes nodes_;
  WorldClock clock_;
  control::JobSpec spec_;  // of the next job that the user creates
  int jobs_created_ = 0;
  std::vector<std::unique_ptr<OperatorProcess>> operators_;  // all ever started
  OperatorProcess* leader_ = nullptr;
  int depth_ = 0;  // of pauses within pauses
};

}  // namespace carrack::simulation
