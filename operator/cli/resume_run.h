// Decides what `carrack run` does in a folder that holds a run already: go on with that job, or refuse. Pure.
#pragma once

#include <string>
#include <variant>

#include "operator/local/run_folder.h"

namespace carrack::control {

// Why nothing is run, and the exit code: 0 if the saved job has succeeded already.
struct RunRefusal {
  int exit_code = 0;
  std::string text;
  bool operator==(const RunRefusal&) const = default;
};

// `requested` is the job of the manifest, without a UID; `folder` is that of the run. A failed run is retried. Before
// the first commit the manifest may have changed in any way, later only in the fields that may change while a job runs.
std::variant<SavedJob, RunRefusal> resume_run(const SavedJob& saved, JobSpec requested, const std::string& folder);

// "checkpoint of step 40: PREFIX", which tf.train.load_checkpoint takes; empty before the first.
std::string checkpoint_text(const JobStatus& status, const JobSpec& spec);

}  // namespace carrack::control
