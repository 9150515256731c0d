// How a job ends whose numbers have run away: trained on, none of them would ever come back.
#pragma once

#include <string>

#include "trainer/error.h"

namespace carrack::train {

// `what`: "the loss of step 7 is inf".
inline Error diverged(const std::string& what) {
  return {Blame::user, "spec.training: " + what +
                           ", so training has diverged; set a smaller spec.training.optimizer.learningRate, or take "
                           "what is not finite out of the data"};
}

}  // namespace carrack::train
