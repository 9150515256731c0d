// `carrack plan MANIFEST`: prints what a job will need, such as memory of each process and size of a checkpoint, and
// warns if a memory limit of the manifest is too low. It reads the manifest, and no other file.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "operator/core/validate.h"

namespace carrack::control {

// The plan of a valid job. plan() prints `text`, and compares the bytes with the memory limits of the job. The bytes
// are the memory for training; plan() adds what any process takes (30 MB).
struct PlannedJob {
  std::string text;  // for the user, with line breaks
  // The bytes that a parameter server needs; nullopt if the job has none.
  std::optional<double> server_bytes = {};
  // The bytes that a worker needs to compute a whole batch alone, as it must if no other worker runs; with strategy
  // Single those of the only process. nullopt if workers run the user's own program.
  std::optional<double> worker_bytes = {};
};

// Returns the plan of a job whose processes compute on `cpus` CPUs each; it is plan_job() of plan_job.h. Called only
// for valid jobs, not with strategy Own. Must be a pure function.
using JobPlanner = std::function<PlannedJob(const train::Config& config, unsigned cpus)>;

// Takes the arguments after `plan`. `cpus` is the number of CPUs of this machine, at least 1: the default of --cpus.
// Returns the exit code: 0, also after a warning; 2 for a mistake of the user, such as an invalid manifest; 1 for any
// other error. An error is printed, not thrown.
int plan(std::span<char* const> arguments, const ModelCheck& check_model, const JobPlanner& plan_job, unsigned cpus);

}  // namespace carrack::control
