// Composes the messages of conditions (Running, Restarting, Suspended) about a job's members, its processes. Members in
// the same state share a clause, so that the message stays short for a job with many members. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "operator/core/job_status.h"

namespace carrack::control {

// A statement about one member. Both texts begin with the space or colon after the name or names.
struct Clause {
  train::Member member;
  std::string singular;   // such as " is starting"; members with the same text share a clause
  std::string plural;     // such as " are starting"
  std::string node = {};  // shown only if no other member has the same clause; may be empty
};

// Returns the clause that reads "worker 1: WORDS".
Clause clause_of(const train::Member& member, const std::string& words, const std::string& node = "");

// Returns the message: "ps 0 is starting; 12 of 64 workers (0, 1, 2, ...): 0/9 nodes are available". Members of a role
// with the same `singular` share a clause, which names at most three of them. The total (64) is `desired` of the role
// in `replicas`, or the number of these members if the role is not there. Empty without clauses.
std::string describe_causes(const std::vector<Clause>& clauses, const std::map<train::Role, ReplicaStatus>& replicas);

}  // namespace carrack::control
