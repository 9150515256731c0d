// What `carrack run` does in a folder that holds a run already: it goes on with that job, or says why it does not.
#pragma once

#include <string>
#include <variant>

#include "operator/local/run_folder.h"

namespace carrack::control {

// Nothing is run.
struct Stay {
  int exit_code = 0;
  std::string text;
  bool operator==(const Stay&) const = default;
};

// `asked` is the manifest's job, without a UID; `folder` the run's. A run that has failed is tried again. Only what may
// change while a job runs may have changed, unless nothing was committed yet: then anything may.
std::variant<KeptJob, Stay> second_run(const KeptJob& kept, JobSpec asked, const std::string& folder);

// "checkpoint of step 40: PREFIX", which tf.train.load_checkpoint takes; empty before the first.
std::string checkpoint_text(const JobStatus& status, const JobSpec& spec);

}  // namespace carrack::control
