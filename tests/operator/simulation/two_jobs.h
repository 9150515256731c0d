// A world with two jobs and room for one and a half. Each needs at least three processes, and there is room for five or
// more, so one of them always runs. Both have to end: the one that waits goes on once the other has ended.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/operator/simulation/planted.h"

namespace carrack::simulation {

class TwoJobs {
 public:
  TwoJobs(std::uint64_t seed, const PlantedBug* bug);

  void go_wrong(int rounds);
  // Returns the reasons for which the jobs have ended; throws a Violation if one of them does not end.
  std::vector<std::string> calm_down();
  // Whether a job has waited because the cluster was full, and has said so.
  bool has_waited() const { return has_waited_; }

 private:
  void create_job(const std::string& name, Folder& folder);
  void round();
  void operator_turn();
  void check_room();
  bool all_have_ended() const;

  Faults faults_;
  const PlantedBug* bug_;
  PeerRules rules_;
  Checkers checkers_;
  Afflictions afflictions_;
  Api api_;
  Folder first_folder_;
  Folder second_folder_;
  Nodes nodes_;
  WorldClock clock_;
  std::vector<std::unique_ptr<OperatorProcess>> operators_;  // all ever started
  OperatorProcess* leader_ = nullptr;
  bool has_waited_ = false;
};

}  // namespace carrack::simulation
