// Decides what `carrack run` does in a folder that contains a run already: continue its job, or refuse. Pure.
#pragma once

#include <string>
#include <variant>

#include "operator/local/run_folder.h"

namespace carrack::control {

// Why nothing is run.
struct RunRefusal {
  int exit_code = 0;  // 0 if the saved job has already succeeded; 2 if the folder contains another job
  std::string text;   // for the user, with what to do instead
  bool operator==(const RunRefusal&) const = default;
};

// Returns the job to run: `requested` under the UID of the saved job, with the saved status. If the saved job failed,
// or its manifest was changed, the status is that of a retry. Before the first commit any field may change, and of the
// job of the user's own program any once it has failed. Otherwise those of spec.run may, and a change of any other
// field is refused.
//
// `requested` is the job of the manifest; its UID and generation are ignored. `folder` is the run's folder.
// `other_owner` is the UID of another job that has the checkpoint folder of the saved one now, or empty.
std::variant<SavedJob, RunRefusal> resume_run(const SavedJob& saved, JobSpec requested, const std::string& folder,
                                              const std::string& other_owner = "");

// "checkpoints: FOLDER, which another job has now, with UID 77aa"
std::string other_owner_text(const JobSpec& spec, const std::string& other_owner);

// "checkpoint of step 40: PREFIX", where tf.train.load_checkpoint reads PREFIX. Empty before the first commit.
std::string checkpoint_text(const JobStatus& status, const JobSpec& spec);
// "best checkpoint, of step 400, loss 0.4461: FOLDER/BEST"; "" if nothing was evaluated.
std::string best_checkpoint_text(const JobStatus& status, const JobSpec& spec);

}  // namespace carrack::control
