// What the status records of ends: the last failure, and the steps that they have cost.
#pragma once

#include <string>
#include <string_view>

#include "operator/core/restart.h"

namespace carrack::control {

// LastFailure::reason of a process whose program cannot be executed, and of one that did not answer any more.
constexpr std::string_view start_error = "StartError";
constexpr std::string_view hung = "Hung";

// The end of a start whose process has or had the name `pod`; nullptr if the cluster shows it no longer.
LastFailure failure_of(const ObservedProcess* process, const EndNote& note, const std::string& pod, Time now);

// True if a condition that holds for this reason is about the last failure.
bool is_about_last_failure(std::string_view reason);

constexpr std::int64_t lost_steps_max = 1'000'000'000'000'000'000;

// Counts the steps that a new start of the leader computes again: those that were reported beyond the last commit.
void count_steps_lost_by_restart(JobStatus& status, const JobSpec& spec);
// Counts those that the running leader takes back, as after the loss of a parameter server.
void count_steps_taken_back(JobStatus& status, const Progress& reported);

}  // namespace carrack::control
