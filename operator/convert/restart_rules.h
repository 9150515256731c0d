// Restart policies of Kubeflow's roles as failure rules of a TrainingJob. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/core/node.h"

namespace carrack::control {

enum class RestartPolicy { always, on_failure, never, exit_code };

struct RoleRestarts {
  std::string role;  // as TrainingJobs name it
  RestartPolicy policy;
  std::string field;  // which gives it in Kubeflow's manifest
  bool is_given;      // false if it is the default of the kind of job
};

// Lists what becomes of the policies.
void describe_restarts(const std::vector<RoleRestarts>& roles, Conversion& conversion);

// The value of spec.run.failureRules; empty if none are needed. `roles` are all roles of the job.
Node::List failure_rules(const std::vector<RoleRestarts>& roles);

}  // namespace carrack::control
