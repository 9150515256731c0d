// What `carrack-operator` is told on its command line. Pure.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "operator/kube/manifests.h"

namespace carrack::control {

struct OperatorOptions {
  std::vector<std::string> namespaces;  // none: all
  PodSettings pods;
  std::string listen = "0.0.0.0:8080";
};

// What the arguments ask for, or what is wrong with them.
std::variant<OperatorOptions, std::string> operator_options(std::span<char* const> arguments);

}  // namespace carrack::control
