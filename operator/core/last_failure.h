// What the status records of ends: the last failure, and what all of them have cost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator/core/restart.h"

namespace carrack::control {

// "worker-1", as LastFailure names a member.
std::string key_of(const train::Member& member);

// LastFailure::reason of a process whose program cannot be executed.
constexpr std::string_view start_error = "StartError";

// How much an end means for its job: one that ends the attempt or the job comes first.
enum class EndWeight { decided, charged, uncharged };

struct WeighedEnd {
  EndWeight weight = EndWeight::uncharged;
  LastFailure failure;
  std::string words = {};  // "worker 1: PlatformError: cannot write"
};

// The end of a start whose process has or had the name `pod`; nullptr if the cluster shows it no longer. nullopt if the
// process left because it was asked to.
std::optional<LastFailure> failure_of(const ObservedProcess* process, const EndNote& note, const std::string& pod,
                                      Time now);

// Of several ends that are seen at once the one that counts: of the weightiest ones the earliest. nullptr of none.
const WeighedEnd* weightiest(const std::vector<WeighedEnd>& ends);

constexpr std::int64_t lost_steps_max = 1'000'000'000'000'000'000;

// Counts the steps that a new start of the leader computes again: those that were reported beyond the last commit.
void count_steps_lost_by_restart(JobStatus& status, const JobSpec& spec);
// Counts those that the running leader takes back, as after the loss of a parameter server.
void count_steps_taken_back(JobStatus& status, const Progress& reported);

}  // namespace carrack::control
