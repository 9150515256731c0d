#include "operator/core/validate_run.h"

#include <iterator>

namespace carrack::control {
namespace {

constexpr std::int64_t seconds_max = 31'536'000;  // a year
constexpr std::size_t rules_max = 20, exit_codes_max = 50;
// A rule needs to name each possible value only once, so longer lists are refused.
constexpr std::size_t reasons_max = std::size(train::spellings<EndCause>);
constexpr std::size_t roles_max = std::size(train::spellings<train::Role>);

void check_deadline(const std::optional<seconds>& deadline, const std::string& field, Problems& problems) {
  if (deadline) expect_range(deadline->count(), 1, seconds_max, field, problems);
}

void check_rule(const JobSpec& spec, const FailureRule& rule, const std::string& field, Problems& problems) {
  problems.expect(!rule.exit_codes.empty() || !rule.causes.empty(), field,
                  "fits every end; give exitCodes or reasons that it is for");
  problems.expect(rule.exit_codes.size() <= exit_codes_max, field + ".exitCodes",
                  "has " + to_text(rule.exit_codes.size()) + " codes; at most " + to_text(exit_codes_max));
  problems.expect(rule.causes.size() <= reasons_max, field + ".reasons",
                  "has " + to_text(rule.causes.size()) + " reasons; at most " + to_text(reasons_max));
  problems.expect(rule.roles.size() <= roles_max, field + ".roles",
                  "has " + to_text(rule.roles.size()) + " roles; at most " + to_text(roles_max));
  for (std::size_t at = 0; at < rule.exit_codes.size(); ++at) {
    expect_range(rule.exit_codes[at], 1, 255, field + ".exitCodes[" + to_text(at) + "]", problems);
  }
  for (const train::Role role : rule.roles) {
    const bool is_single = !spec.own && spec.config.strategy == train::Strategy::single;
    problems.expect(
        !is_single || role == train::Role::worker, field + ".roles",
        "has " + std::string(train::spelled(role)) + "; with strategy Single there is one process, a worker");
  }
}

}  // namespace

void check_run(const JobSpec& spec, Problems& problems) {
  const RunPolicy& run = spec.run;
  expect_range(run.backoff_limit, 0, 99, "spec.run.backoffLimit", problems);
  expect_range(run.drain.count(), 1, 86'400, "spec.run.drainSeconds", problems);
  check_deadline(run.start_deadline, "spec.run.startDeadlineSeconds", problems);
  check_deadline(run.active_deadline, "spec.run.activeDeadlineSeconds", problems);
  check_deadline(run.progress_deadline, "spec.run.progressDeadlineSeconds", problems);
  if (run.ttl_after_finished) {
    expect_range(run.ttl_after_finished->count(), 0, seconds_max, "spec.run.ttlSecondsAfterFinished", problems);
  }
  problems.expect(run.failure_rules.size() <= rules_max, "spec.run.failureRules",
                  "has " + to_text(run.failure_rules.size()) + " rules; at most " + to_text(rules_max));
  for (std::size_t at = 0; at < run.failure_rules.size(); ++at) {
    check_rule(spec, run.failure_rules[at], "spec.run.failureRules[" + to_text(at) + "]", problems);
  }
}

}  // namespace carrack::control
