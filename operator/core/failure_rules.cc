#include "operator/core/failure_rules.h"

#include <algorithm>

namespace carrack::control {
namespace {

template <class Value>
bool fits(const std::vector<Value>& values, const Value& value) {
  return values.empty() || std::ranges::find(values, value) != values.end();
}

// Returns false for a process that never ran or has not exited: its field exit_code means nothing.
bool has_exit_code(const ObservedProcess& process) {
  return process.state == ProcessState::exited && !process.never_ran;
}

bool fits(const FailureRule& rule, const ObservedProcess& process) {
  if (!fits(rule.roles, process.member.role)) return false;
  if (!rule.causes.empty() && (!process.cause || !fits(rule.causes, *process.cause))) return false;
  return rule.exit_codes.empty() || (has_exit_code(process) && fits(rule.exit_codes, process.exit_code));
}

}  // namespace

const FailureRule* find_rule(const RunPolicy& run, const ObservedProcess& process) {
  if (process.state == ProcessState::exited && process.exit_code == 0) return nullptr;
  const auto rule = std::ranges::find_if(run.failure_rules, [&](const FailureRule& one) { return fits(one, process); });
  return rule == run.failure_rules.end() ? nullptr : &*rule;
}

}  // namespace carrack::control
