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

// `asked` is the manifest's job, without a UID; `folder` the run's. Only `suspend` may have changed in it.
std::variant<KeptJob, Stay> second_run(const KeptJob& kept, JobSpec asked, const std::string& folder);

// How to run a job that has ended once more, from its first step.
std::string how_to_train_anew(const JobSpec& spec, const std::string& folder);

}  // namespace carrack::control
