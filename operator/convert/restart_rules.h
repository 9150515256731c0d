// The part of `carrack convert` for restarts: turns the restartPolicy of each role of a Kubeflow job into
// spec.run.failureRules of a TrainingJob. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/core/node.h"

namespace carrack::control {

// As in Kubeflow. `exit_code`: exit codes from 1 to 127 fail the job, and higher ones restart the process.
enum class RestartPolicy { always, on_failure, never, exit_code };

// The restart policy of one role.
struct RoleRestarts {
  std::string role;  // its name in a TrainingJob
  RestartPolicy policy;
  std::string field;  // the policy's path in Kubeflow's manifest
  bool is_set;        // false: the manifest does not set one, and `policy` is the default of the kind of job
};

// Adds to `conversion` a change that says what becomes of each policy; none for OnFailure that is not set.
void describe_restarts(const std::vector<RoleRestarts>& roles, Conversion& conversion);

// Returns the value of spec.run.failureRules: rules with action Fail for roles with Never (exit codes 1 to 255) and
// ExitCode (1 to 127). Empty if no role has these. `roles` must be all roles of the job, because a rule that all of
// them need names no roles, and so applies to every role.
Node::List failure_rules(const std::vector<RoleRestarts>& roles);

}  // namespace carrack::control
