// Decides what `carrack run` does in a folder in which an earlier `carrack run` has saved a job: continue that job, or
// refuse because it has succeeded or is another one. Also composes messages about checkpoints. Pure.
#pragma once

#include <string>
#include <variant>

#include "operator/local/run_folder.h"

namespace carrack::control {

// Why `carrack run` does not run the job.
struct RunRefusal {
  int exit_code = 0;  // 0 if the saved job has already succeeded; 2 if the folder contains another job
  std::string text;   // a message for the user that says what to do instead
  bool operator==(const RunRefusal&) const = default;
};

// Returns the job to run: the spec `requested` with the UID of the saved job, and the saved status without the
// conditions Created and Suspended, so that deadlines restart. A job that has succeeded is refused.
//
// The fields of spec.run and spec.data.onDamage may always differ from the saved job. Other fields may differ only
// until the job has a commit (a complete checkpoint); with strategy Own, before its first start and after it has
// failed. Other changes are refused. If other fields differ, or if the saved job has failed, the returned status is
// that of retry_failed_job() (operator/core/restart.h): the job begins a new attempt from the last commit.
//
// `requested` is the job of the manifest; its UID and generation are ignored. `folder` is the run's folder.
// `other_owner` is the UID of another job that owns the checkpoint folder of the saved job now; empty if none does. It
// only changes the text of a refusal.
std::variant<SavedJob, RunRefusal> resume_run(const SavedJob& saved, JobSpec requested, const std::string& folder,
                                              const std::string& other_owner = "");

// Returns "checkpoints: FOLDER, which another job has now, with UID 77aa".
std::string other_owner_text(const JobSpec& spec, const std::string& other_owner);

// Returns "checkpoint of step 40: PREFIX", with the PREFIX that tf.train.load_checkpoint takes. Empty before the first
// commit.
std::string checkpoint_text(const JobStatus& status, const JobSpec& spec);
// Returns "best checkpoint, of step 400, loss 0.4461: FOLDER/BEST"; empty if no best checkpoint is known.
std::string best_checkpoint_text(const JobStatus& status, const JobSpec& spec);

}  // namespace carrack::control
