// `carrack plan`: prints what resources a job will need. It reads the manifest, and no other file.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "operator/core/validate.h"

namespace carrack::control {

// The plan for a valid job. The bytes do not count what a process takes before it trains.
struct PlannedJob {
  std::string text;  // the text to print
  // The memory that a parameter server needs; nullopt if the job has none.
  std::optional<double> server_bytes = {};
  // The memory that a worker needs, which must be able to compute a whole batch alone; with strategy Single that of the
  // only process. nullopt if workers run the user's own program.
  std::optional<double> worker_bytes = {};
};

// Plans for processes whose kernels run on `cpus` CPUs each. Called only for valid jobs, not with strategy Own. Must be
// a pure function.
using JobPlanner = std::function<PlannedJob(const train::Config& config, unsigned cpus)>;

// Takes the arguments after `plan`. `cpus` is the number of CPUs of this machine, at least 1: the default of --cpus.
// Returns the exit code. An error is printed, not thrown.
int plan(std::span<char* const> arguments, const ModelCheck& check_model, const JobPlanner& plan_job, unsigned cpus);

}  // namespace carrack::control
