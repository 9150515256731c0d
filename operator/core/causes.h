// Composes messages about the members of a job, with one clause for all members in the same state. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "operator/core/job_status.h"

namespace carrack::control {

// A statement about one member. The words follow its name, or the names of several members: " is starting", " are
// starting". They begin with the space or colon after the name.
struct Clause {
  train::Member member;
  std::string singular;
  std::string plural;
  std::string node = {};  // shown only if no other member has the same clause; may be empty
};

// The clause that reads "worker 1: WORDS".
Clause clause_of(const train::Member& member, const std::string& words, const std::string& node = "");

// Joins the clauses: "ps 0 is starting; 12 of 64 workers (0, 1, 2, ...): 0/9 nodes are available". Members of a role
// with the same `singular` share a clause, which names at most three of them. The total (64) is `desired` of the role
// in `replicas`. Empty without clauses.
std::string describe_causes(const std::vector<Clause>& clauses, const std::map<train::Role, ReplicaStatus>& replicas);

}  // namespace carrack::control
