// The error that ends a job whose loss or parameters are no longer finite: further training would not help.
#pragma once

#include <string>

#include "trainer/error.h"

namespace carrack::train {

// `what` is a clause such as "the loss of step 7 is inf".
inline Error diverged(const std::string& what) {
  return {Blame::user, "spec.training: " + what +
                           ", so training has diverged; set a smaller spec.training.optimizer.learningRate, or take "
                           "what is not finite out of the data"};
}

}  // namespace carrack::train
