// Reads the command line of `carrack run`, and the job of its manifest with absolute paths. Writes and starts nothing.
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
  std::string folder;                    // --folder; if empty, load_job() sets it to the default
  std::string trainer;                   // the path of the trainer
  std::string typed;                     // the arguments, quoted for a shell: " job.yaml --folder a"
  std::vector<Override> overrides = {};  // the values of --set
  bool looks_at_files = true;            // false: --no-data
  std::string typed_to_go_on = {};       // `typed` without options that set spec.run.suspend
  bool sets_suspend = false;             // --set spec.run.suspend was given
};

// Returns the request, or what to print instead: the help or an error.
std::variant<RunRequest, Printed> parse_run_request(std::span<char* const> arguments);

struct LoadedJob {
  JobSpec spec;   // still without a UID
  Node document;  // the text of the manifest, with the overrides, for with_places()
};

// Reads and checks a manifest, with `overrides` in place of its values. Returns the job, or its problems to print.
// Makes `folder`, into which a run puts its files, absolute; if it is empty, sets it to the default. Throws Error with
// Blame::user if the manifest cannot be read.
std::variant<LoadedJob, Printed> load_job(const std::string& manifest, const std::vector<Override>& overrides,
                                          std::string& folder, const ModelCheck& check_model);

// A line for each problem, "job.yaml: spec.training.batch: is 0; ...", with exit code 2.
Printed problems_of(const std::string& manifest, const std::vector<Problem>& problems);

}  // namespace carrack::control
