// Turns the restart policies of Kubeflow's roles into failure rules of a TrainingJob. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/core/node.h"

namespace carrack::control {

enum class RestartPolicy { always, on_failure, never, exit_code };

// The restart policy of one role.
struct RoleRestarts {
  std::string role;  // its name in a TrainingJob
  RestartPolicy policy;
  std::string field;  // the policy's path in Kubeflow's manifest
  bool is_set;        // false: the manifest does not set one, and `policy` is the default of the kind of job
};

// Adds to `conversion` what becomes of each policy.
void describe_restarts(const std::vector<RoleRestarts>& roles, Conversion& conversion);

// Returns the value of spec.run.failureRules; empty if no rule is needed. `roles` must be all roles of the job, because
// a rule that all of them need names no roles, and so applies to every role.
Node::List failure_rules(const std::vector<RoleRestarts>& roles);

}  // namespace carrack::control
