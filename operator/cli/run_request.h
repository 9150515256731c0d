// Parses the command line of `carrack run`, and loads the job of a manifest: load_job() also serves `carrack validate`,
// `plan` and `step`. Writes and starts nothing.
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
  std::string manifest;                  // its path
  std::string folder;                    // --folder; if empty, load_job() sets it to the default
  std::string trainer;                   // the path of the trainer; the default if --trainer was not given
  std::string typed;                     // the arguments, quoted for a shell, for messages: " job.yaml --folder a"
  std::vector<Override> overrides = {};  // the values of --set
  bool looks_at_files = true;            // false if --no-data was given
  std::string typed_to_go_on = {};       // `typed` without --set options for spec.run.suspend: continues the run
  bool sets_suspend = false;             // --set was given for spec.run.suspend
};

// Parses the arguments after `run`. Returns the request, or what to print instead: the help or an error.
std::variant<RunRequest, Printed> parse_run_request(std::span<char* const> arguments);

struct LoadedJob {
  JobSpec spec;   // a valid job, still without a UID
  Node document;  // the parsed manifest with the overrides, for with_places()
};

// Reads and validates a manifest, after it has applied `overrides` (--set). `manifest` is its path, or "-" for the
// standard input. Returns the job, or its problems to print. Throws Error with Blame::user if the manifest cannot be
// read.
// `folder`, that of the run, is read and written: it becomes absolute, or carrack-runs/NAME in the current folder if it
// is empty. Except with strategy Own, paths in the spec become absolute, and the checkpoint folder becomes
// FOLDER/checkpoints if the manifest names none.
std::variant<LoadedJob, Printed> load_job(const std::string& manifest, const std::vector<Override>& overrides,
                                          std::string& folder, const ModelCheck& check_model);

// Composes the error about an invalid manifest: a line for each problem, "job.yaml: spec.training.batch: is 0; ...",
// and exit code 2.
Printed problems_of(const std::string& manifest, const std::vector<Problem>& problems);

}  // namespace carrack::control
