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
  Node job;                       // the TrainingJob, its fields in the order of the manifest; of use without problems
  std::vector<Change> changes;    // at least one for each field of the manifest, outside of pod templates
  std::vector<Problem> problems;  // why there is no such TrainingJob
};

// `manifest` may be any document.
ConvertedJob convert_kubeflow(const Node& manifest);

}  // namespace carrack::control
