// `carrack plan`: prints what resources a job will need. It reads only the manifest.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "operator/core/validate.h"

namespace carrack::control {

// The plan for a valid job.
struct PlannedJob {
  std::string text;  // to be printed
  // The memory that a parameter server needs; nullopt if the job has none. The memory that a worker needs, which must
  // be able to compute a whole batch alone, or the only process of strategy Single; nullopt if workers run the user's
  // own program. Neither counts what a process takes before it trains.
  std::optional<double> server_bytes = {};
  std::optional<double> worker_bytes = {};
};

// Plans for processes whose kernels run on `cpus` CPUs each. Must be a pure function.
using JobPlanner = std::function<PlannedJob(const train::Config& config, unsigned cpus)>;

// Takes the arguments after `plan`. `cpus` are the CPUs of this machine, the default of --cpus. Returns the exit code.
// An error is printed, not thrown.
int plan(std::span<char* const> arguments, const ModelCheck& check_model, const JobPlanner& plan_job, unsigned cpus);

}  // namespace carrack::control
