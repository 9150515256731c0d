// `carrack-operator`: jobs of a Kubernetes cluster, looked after until it is asked to stop.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "operator/core/validate.h"
#include "operator/kube/kube_cluster.h"

namespace carrack::control {

struct OperatorOptions {
  std::vector<std::string> namespaces;  // none: all
  PodSettings pods;
  std::string listen = "0.0.0.0:8080";
};

// What the arguments ask for, or what is wrong with them. Pure.
std::variant<OperatorOptions, std::string> operator_options(std::span<char* const> arguments);

// `seed` is of what is spread by chance: the pauses before something is tried again.
int operate(const OperatorOptions& options, const EnvironmentMap& environment, std::uint32_t seed,
            const ModelCheck& check_model);

}  // namespace carrack::control
