#include "operator/convert/restart_rules.h"

#include <algorithm>

namespace carrack::control {
namespace {

constexpr std::int64_t exit_codes_max = 50;  // the maximum number of exit codes in one rule

void describe(const RoleRestarts& role, Conversion& conversion) {
  const std::string again = conversion.is_tensorflow()
                                ? "a process that fails starts again, as is usual"
                                : "if a process fails, all start again, which spec.run.backoffLimit counts";
  switch (role.policy) {
    case RestartPolicy::always:
      return conversion.add(ChangeKind::changed, role.field, again + "; one that succeeds does not");
    case RestartPolicy::on_failure:
      if (!role.is_set) return;
      return conversion.add(conversion.is_tensorflow() ? ChangeKind::dropped : ChangeKind::changed, role.field, again);
    case RestartPolicy::never:
      return conversion.add(ChangeKind::changed, role.field,
                            std::string(role.is_set ? "Never" : "is not given, so Never, which") +
                                " is now spec.run.failureRules with action Fail for exit codes 1-255; a pod that the "
                                "cluster takes away before its process ends is replaced");
    case RestartPolicy::exit_code:
      return conversion.add(ChangeKind::renamed, role.field,
                            "ExitCode is now spec.run.failureRules with action Fail for exit codes 1-127");
  }
}

// Adds rules by which the job fails if a process of `roles` ends with an exit code from 1 to `last`. `are_all` means
// that these are all roles of the job. No rule is added if `roles` is empty.
void add_fail(const Node::List& roles, bool are_all, std::int64_t last, Node::List& rules) {
  if (roles.empty()) return;
  for (std::int64_t first = 1; first <= last; first += exit_codes_max) {
    Node::List codes;
    for (std::int64_t code = first; code <= std::min(last, first + exit_codes_max - 1); ++code) {
      codes.push_back(Node{code});
    }
    Node::Map rule{{"exitCodes", Node{std::move(codes)}}};
    if (!are_all) rule.push_back({"roles", Node{roles}});
    rule.push_back({"action", Node{std::string("Fail")}});
    rules.push_back(Node{std::move(rule)});
  }
}

}  // namespace

void describe_restarts(const std::vector<RoleRestarts>& roles, Conversion& conversion) {
  for (const RoleRestarts& role : roles) describe(role, conversion);
}

Node::List failure_rules(const std::vector<RoleRestarts>& roles) {
  const auto with = [&](RestartPolicy policy) {
    Node::List names;
    for (const RoleRestarts& one : roles) {
      if (one.policy == policy) names.push_back(Node{one.role});
    }
    return names;
  };
  Node::List rules;
  // With the policy ExitCode, Kubeflow's operator restarts a process that ends with an exit code of 128 or more.
  for (const auto& [policy, last] : {std::pair{RestartPolicy::never, 255}, std::pair{RestartPolicy::exit_code, 127}}) {
    const Node::List names = with(policy);
    add_fail(names, names.size() == roles.size(), last, rules);
  }
  return rules;
}

}  // namespace carrack::control
