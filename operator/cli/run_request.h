// The command line of `carrack run` and the job of its manifest, with absolute paths. Both are read before anything is
// written or started.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "operator/cli/program.h"
#include "operator/core/validate.h"

namespace carrack::control {

struct RunRequest {
  std::string manifest;
  std::string folder;   // empty until load_job() if --folder is not given
  std::string trainer;  // path of the program
  std::string typed;    // the arguments, quoted for a shell: " job.yaml --folder a"
};

// The word as a POSIX shell reads it back; quoted only if it needs to be.
std::string shell_word(const std::string& word);

// The request, or what to print instead: the help or an error.
std::variant<RunRequest, Printed> parse_run_request(std::span<char* const> arguments);

// Reads and checks a manifest. Returns the job, still without a UID, or its problems. Makes `folder`, where a run of it
// puts its files, absolute, and sets it to the default if it is empty. Throws Error (user) if the file cannot be read.
std::variant<JobSpec, Printed> load_job(const std::string& manifest, std::string& folder,
                                        const ModelCheck& check_model);

}  // namespace carrack::control
