// Messages about the members of a job, with one clause for all members in the same state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "operator/core/job_status.h"

namespace carrack::control {

// The words that follow the name of one member and those of several: " is starting" and " are starting".
struct Clause {
  train::Member member;
  std::string singular;
  std::string plural;
  std::string node = {};  // named if the clause is about one member alone
};

// "worker 1: WORDS".
Clause clause_of(const train::Member& member, const std::string& words, const std::string& node = "");

// "ps 0 is starting; 12 of 64 workers (0, 1, 2, ...): 0/9 nodes are available", in the order of `clauses`. A
// clause names at most three members. `replicas` has the number of members of each role.
std::string describe_causes(const std::vector<Clause>& clauses, const std::map<train::Role, ReplicaStatus>& replicas);

}  // namespace carrack::control
