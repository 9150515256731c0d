// Turns the restart policies of Kubeflow's roles into failure rules of a TrainingJob. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/core/node.h"

namespace carrack::control {

enum class RestartPolicy { always, on_failure, never, exit_code };

struct RoleRestarts {
  std::string role;  // its name in a TrainingJob
  RestartPolicy policy;
  std::string field;  // the policy's path in Kubeflow's manifest
  bool is_given;      // false if it is the default of the kind of job
};

// Adds what becomes of each policy to `conversion`.
void describe_restarts(const std::vector<RoleRestarts>& roles, Conversion& conversion);

// Returns the value of spec.run.failureRules; empty if no rule is needed. `roles` must be all roles of the job: a rule
// that they all need is written without names of roles, and then applies to all.
Node::List failure_rules(const std::vector<RoleRestarts>& roles);

}  // namespace carrack::control
