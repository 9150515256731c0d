// The fields of `spec.run` of a TrainingJob, such as suspend and backoffLimit, with their names in YAML and JSON:
// decodes and encodes them. spec_fields.h explains such lists.
#pragma once

#include "operator/codec/fields.h"
#include "operator/core/run_policy.h"

namespace carrack::train {

template <>
inline constexpr Spelling<control::FailureAction> spellings<control::FailureAction>[] = {
    {control::FailureAction::restart_member, "RestartMember"},
    {control::FailureAction::restart_job, "RestartJob"},
    {control::FailureAction::ignore, "Ignore"},
    {control::FailureAction::fail, "Fail"}};
template <>
inline constexpr Spelling<control::KeepPods> spellings<control::KeepPods>[] = {
    {control::KeepPods::all, "All"}, {control::KeepPods::failed, "Failed"}, {control::KeepPods::none, "None"}};

}  // namespace carrack::train

namespace carrack::control {

template <class Fields>
void fields_of(Fields& fields, FailureRule& rule) {
  if (Fields::reads || !rule.exit_codes.empty()) fields.optional("exitCodes", rule.exit_codes);
  if (Fields::reads || !rule.causes.empty()) fields.optional("reasons", rule.causes);
  if (Fields::reads || !rule.roles.empty()) fields.optional("roles", rule.roles);
  fields.required("action", rule.action);
}

template <class Fields>
void fields_of(Fields& fields, RunPolicy& run) {
  fields.optional("suspend", run.suspend);
  fields.optional("backoffLimit", run.backoff_limit);
  fields.optional("drainSeconds", run.drain);
  fields.optional("startDeadlineSeconds", run.start_deadline);
  fields.optional("activeDeadlineSeconds", run.active_deadline);
  fields.optional("progressDeadlineSeconds", run.progress_deadline);
  fields.optional("ttlSecondsAfterFinished", run.ttl_after_finished);
  if (Fields::reads || run.keep_pods != KeepPods::all) fields.optional("keepPods", run.keep_pods);
  if (Fields::reads || !run.failure_rules.empty()) fields.optional("failureRules", run.failure_rules);
}

}  // namespace carrack::control
