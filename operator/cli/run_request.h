// What a user asks of `carrack run`: what was typed, and the job of the manifest, with every path as it is found from
// any folder. Both are read before anything is written or started.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "operator/cli/program.h"
#include "operator/core/validate.h"

namespace carrack::control {

struct RunRequest {
  std::string manifest;
  std::string folder;   // empty: carrack-runs/NAME
  std::string trainer;  // empty: the carrack-trainer beside this program
  std::string typed;    // after `carrack run`, as a shell reads it
};

// The request, or what is answered instead: the help, or what is wrong.
std::variant<RunRequest, Printed> run_request(std::span<char* const> arguments);

// The job, still without a UID, or its problems. Fills in the request's folder.
std::variant<JobSpec, Printed> job_of(RunRequest& request, const ModelCheck& check_model);

}  // namespace carrack::control
