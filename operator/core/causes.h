// What is said of the members of a job, with one clause for all that the same is said of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "operator/core/job_status.h"

namespace carrack::control {

// What is said of one member, and would be of several: "is starting" and "are starting".
struct Saying {
  train::Member member;
  std::string of_one;
  std::string of_many;
};

// "worker 1: WORDS".
Saying says(const train::Member& member, const std::string& words);

// "ps 0 is starting; 12 of 64 workers (0, 1, 2, ...): 0/9 nodes are available", in the order of `sayings`. At most
// three members of a clause are named. `replicas` says of how many members of a role they are.
std::string describe_causes(const std::vector<Saying>& sayings, const std::map<train::Role, ReplicaStatus>& replicas);

}  // namespace carrack::control
