// `carrack convert`: turns a manifest of Kubeflow's training operator into a TrainingJob.
#pragma once

#include <span>

namespace carrack::control {

// Takes the arguments after `convert`. Returns the exit code, which is 2 if the manifest cannot be converted. An error
// is printed, not thrown.
int convert(std::span<char* const> arguments);

}  // namespace carrack::control
