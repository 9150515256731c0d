// `carrack convert`: turns a TFJob or PyTorchJob of Kubeflow's training operator into the manifest of a TrainingJob.
// convert_kubeflow() (operator/convert/kubeflow.h) converts; this command reads, prints and writes files.
#pragma once

#include <span>

namespace carrack::control {

// Takes the arguments after `convert`. Prints the new manifest, or writes it to the file that --to names, and prints
// what becomes of each field to standard error. Returns the exit code: 0; 2 if the manifest cannot be converted or for
// another mistake of the user; 1 for any other error. An error is printed, not thrown.
int convert(std::span<char* const> arguments);

}  // namespace carrack::control
