// The error for a job whose loss, parameters or optimizer state have become NaN or infinite. The coordinator, a
// parameter server (when it saves) or a worker throws it. The job then fails without a retry, because further training
// cannot help.
#pragma once

#include <string>

#include "trainer/error.h"

namespace carrack::train {

// Returns the error, with Blame::user. `what` says what was found, as a clause: "the loss of step 7 is inf". The
// message also advises the user, for example to set a smaller learning rate.
inline Error diverged(const std::string& what) {
  return {Blame::user, "spec.training: " + what +
                           ", so training has diverged; scale features and target to values near 1, or set a smaller "
                           "spec.training.optimizer.learningRate; `carrack data stats` shows their ranges, and what is "
                           "not finite"};
}

}  // namespace carrack::train
