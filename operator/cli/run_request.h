// The command line of `carrack run` and the job of its manifest, with absolute paths. Both are read before anything is
// written or started.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "operator/cli/program.h"
#include "operator/codec/override.h"
#include "operator/core/job.h"
#include "operator/core/validate.h"

namespace carrack::control {

struct RunRequest {
  std::string manifest;
  std::string folder;                    // empty until load_job() if --folder is not given
  std::string trainer;                   // path of the program
  std::string typed;                     // the arguments, quoted for a shell: " job.yaml --folder a"
  std::vector<Override> overrides = {};  // of --set
  bool looks_at_files = true;            // false: --no-data
  std::string typed_to_go_on = {};       // `typed` without what suspends the job
  bool sets_suspend = false;             // --set spec.run.suspend was given
};

// The request, or what to print instead: the help or an error.
std::variant<RunRequest, Printed> parse_run_request(std::span<char* const> arguments);

struct LoadedJob {
  JobSpec spec;   // still without a UID
  Node document;  // the text of the manifest, with the overrides, for with_places()
};

// Reads and checks a manifest, with these values in place of its own. Returns the job or its problems. Makes `folder`,
// where a run of it puts its files, absolute, and sets it to the default if it is empty. Throws Error (user) if the
// file cannot be read.
std::variant<LoadedJob, Printed> load_job(const std::string& manifest, const std::vector<Override>& overrides,
                                          std::string& folder, const ModelCheck& check_model);

// A line for each problem, "job.yaml: spec.training.batch: is 0; ...", with exit code 2.
Printed problems_of(const std::string& manifest, const std::vector<Problem>& problems);

}  // namespace carrack::control
