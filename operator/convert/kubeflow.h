// Turns a TFJob or PyTorchJob of Kubeflow's training operator (kubeflow.org/v1) into a TrainingJob with strategy Own,
// which runs the same images, for `carrack convert`. docs/reference/convert.md says what becomes of each field. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/core/node.h"
#include "operator/core/validate.h"

namespace carrack::control {

struct ConvertedJob {
  Node job;                       // the TrainingJob; use it only if `problems` is empty
  std::vector<Change> changes;    // what becomes of its fields; within pod templates, only of those that change
  std::vector<Problem> problems;  // why the job cannot be converted; empty if it can
};

// `manifest` is the parsed YAML or JSON, and may be any document. If it is not a TFJob or PyTorchJob of
// kubeflow.org/v1, the result has a problem that says so. Throws nothing because of the manifest.
ConvertedJob convert_kubeflow(const Node& manifest);

}  // namespace carrack::control
