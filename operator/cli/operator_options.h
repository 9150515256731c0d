// Parses the command line of `carrack-operator`. Pure.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "operator/kube/manifests.h"

namespace carrack::control {

struct OperatorOptions {
  std::vector<std::string> namespaces;  // the namespaces whose jobs are served; empty: all
  PodSettings pods;                     // --trainer-image, --trainer-env and --network-policies
  std::string listen = "0.0.0.0:8080";  // the address and port of /metrics
  std::string probes = "0.0.0.0:8081";  // the address and port of /healthz and /readyz
};

// Parses the arguments after the program's name, such as --trainer-image IMAGE --namespace a --namespace b. Returns the
// options, or a message for the user that says what is wrong, without the program's name. --trainer-image is required.
// Names of namespaces and variables are checked; addresses are not. The caller handles --help and --version before.
std::variant<OperatorOptions, std::string> parse_operator_options(std::span<char* const> arguments);

}  // namespace carrack::control
