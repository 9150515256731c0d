// What a manifest says of its run and makes no sense.
#include "operator/core/validate_run.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

struct BadRun {
  const char* name;
  std::function<void(JobSpec&)> change;
  std::vector<Problem> problems;
};

const BadRun bad_runs[] = {
    {"Backoff",
     [](JobSpec& s) { s.run.backoff_limit = -1; },
     {{"spec.run.backoffLimit", "is -1; must be from 0 to 99"}}},
    {"Drain",
     [](JobSpec& s) { s.run.drain = seconds(0); },
     {{"spec.run.drainSeconds", "is 0; must be from 1 to 86400"}}},
    {"StartDeadline",
     [](JobSpec& s) { s.run.start_deadline = seconds(0); },
     {{"spec.run.startDeadlineSeconds", "is 0; must be from 1 to 31536000"}}},
    {"ActiveDeadline",
     [](JobSpec& s) { s.run.active_deadline = seconds(31'536'001); },
     {{"spec.run.activeDeadlineSeconds", "is 31536001; must be from 1 to 31536000"}}},
    {"ProgressDeadline",
     [](JobSpec& s) { s.run.progress_deadline = seconds(-1); },
     {{"spec.run.progressDeadlineSeconds", "is -1; must be from 1 to 31536000"}}},
    {"TimeToLive",
     [](JobSpec& s) { s.run.ttl_after_finished = seconds(-1); },
     {{"spec.run.ttlSecondsAfterFinished", "is -1; must be from 0 to 31536000"}}},
    {"RuleForEveryEnd",
     [](JobSpec& s) { s.run.failure_rules = {{.roles = {train::Role::ps}}}; },
     {{"spec.run.failureRules[0]", "fits every end; give exitCodes or reasons that it is for"}}},
    {"RuleForSuccess",
     [](JobSpec& s) {
       s.run.failure_rules = {{.exit_codes = {7, 0}}};
     },
     {{"spec.run.failureRules[0].exitCodes[1]", "is 0; must be from 1 to 255"}}},
    {"ManyRules",
     [](JobSpec& s) { s.run.failure_rules.assign(21, {.exit_codes = {7}}); },
     {{"spec.run.failureRules", "has 21 rules; at most 20"}}},
    {"ManyCodes",
     [](JobSpec& s) { s.run.failure_rules = {{.exit_codes = std::vector<int>(51, 7)}}; },
     {{"spec.run.failureRules[0].exitCodes", "has 51 codes; at most 50"}}},
    {"RuleForServersOfAJobWithoutThem",
     [](JobSpec& s) {
       s.config.strategy = train::Strategy::single;
       s.config.ps = {};
       s.config.workers = {1, 1};
       s.run.failure_rules = {{.exit_codes = {7}, .roles = {train::Role::worker, train::Role::ps}}};
     },
     {{"spec.run.failureRules[0].roles", "has ps; with strategy Single there is one process, a worker"}}},
};

class ValidateRun : public testing::TestWithParam<BadRun> {};

TEST_P(ValidateRun, SaysWhatIsWrong) {
  JobSpec spec = some_job();
  GetParam().change(spec);
  EXPECT_EQ(describe(problems_in(spec, any_model)), describe(GetParam().problems));
}

INSTANTIATE_TEST_SUITE_P(BadRuns, ValidateRun, testing::ValuesIn(bad_runs),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace carrack::control
