// Bugs, each of which one checker must find: switched on alone, outside the code that is shipped.
// A bug of the operator stands between its loop and the cluster, or between its loop and reconcile(); a bug of the
// trainer is a rule that the peers break.
#pragma once

#include <string>
#include <vector>

#include "tests/operator/simulation/operator_process.h"

namespace carrack::simulation {

struct PlantedBug {
  std::string name;
  std::string found_by;  // the checker
  OperatorProcess::Wiring wiring;
  PeerRules rules;
  bool owners_are_set = true;
  bool hung_are_noticed = true;                                                            // by their nodes
  enum class Worlds { of_one_job, of_two_jobs, of_releases } worlds = Worlds::of_one_job;  // in which it is found
};

const std::vector<PlantedBug>& planted_bugs();

}  // namespace carrack::simulation
