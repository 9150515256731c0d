// The command line of `carrack-operator`. Pure.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "operator/kube/manifests.h"

namespace carrack::control {

struct OperatorOptions {
  std::vector<std::string> namespaces;  // whose jobs are served; empty means all
  PodSettings pods;
  std::string listen = "0.0.0.0:8080";  // the address and port of /metrics
  std::string probes = "0.0.0.0:8081";  // the address and port of /healthz and /readyz
};

// Parses the arguments after the program's name, which are not --help or --version. Returns the options, or a message
// that says what is wrong with the arguments, without the program's name. --trainer-image is required.
std::variant<OperatorOptions, std::string> parse_operator_options(std::span<char* const> arguments);

}  // namespace carrack::control
