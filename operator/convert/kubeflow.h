// Turns a job of Kubeflow's training operator (kubeflow.org/v1) into a TrainingJob with strategy Own, which runs the
// same images. docs/reference/convert.md says what becomes of each field. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/core/node.h"
#include "operator/core/validate.h"

namespace carrack::control {

struct ConvertedJob {
  Node job;                       // the TrainingJob; use it only if `problems` is empty
  std::vector<Change> changes;    // what becomes of the manifest's fields; of pod templates only what changes
  std::vector<Problem> problems;  // why the job cannot be converted
};

// `manifest` may be any document. One that is not a TFJob or PyTorchJob of kubeflow.org/v1 gives a problem.
ConvertedJob convert_kubeflow(const Node& manifest);

}  // namespace carrack::control
