// `carrack plan`: what a job will take, by its manifest alone. It reads nothing but the manifest.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "operator/core/validate.h"

namespace carrack::control {

// What is planned for a valid job.
struct PlannedJob {
  std::string text;  // to be printed
  // The memory in bytes with which a process starts: of a parameter server, if there are any, and of a worker, which
  // must be able to compute a batch alone, or of the process of Single. Nullopt for a worker that runs the user's own
  // program.
  std::optional<double> server_bytes = {};
  std::optional<double> worker_bytes = {};
};

// Kernels of each process run on `cpus`. Must be a pure function.
using JobPlanner = std::function<PlannedJob(const train::Config& config, unsigned cpus)>;

// Takes the arguments after `plan`, and the CPUs of this machine. Returns the exit code. An error is printed, not
// thrown.
int plan(std::span<char* const> arguments, const ModelCheck& check_model, const JobPlanner& plan_job, unsigned cpus);

}  // namespace carrack::control
