// The error that ends a job whose loss or parameters are not finite: further training would not help.
#pragma once

#include <string>

#include "trainer/error.h"

namespace carrack::train {

// Returns the error, with Blame::user. `what` is a clause such as "the loss of step 7 is inf".
inline Error diverged(const std::string& what) {
  return {Blame::user, "spec.training: " + what +
                           ", so training has diverged; scale features and target to values near 1, or set a smaller "
                           "spec.training.optimizer.learningRate; `carrack data stats` shows their ranges, and what is "
                           "not finite"};
}

}  // namespace carrack::train
