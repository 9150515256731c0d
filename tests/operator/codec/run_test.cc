// spec.run, both ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/codec/job.h"

namespace carrack::control {
namespace {

using testing::IsEmpty;

const std::string manifest = R"(apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line}
spec:
  strategy: Single
  model: {kind: LinearRegression, input: x, target: "y"}
  data:
    train: {files: [data/*.tfrecord]}
    features: {"y": {type: float32}, x: {type: float32, size: 3}}
  training: {batch: 64, optimizer: {kind: Adam}}
  checkpoint: {folder: out}
)";

TEST(RunFields, AreReadAndWritten) {
  const std::string run = R"(  run:
    suspend: true
    backoffLimit: 2
    drainSeconds: 30
    startDeadlineSeconds: 600
    activeDeadlineSeconds: 3600
    progressDeadlineSeconds: 900
    ttlSecondsAfterFinished: 0
    keepPods: Failed
    failureRules:
    - {exitCodes: [3], reasons: [Evicted, OOMKilled], roles: [ps], action: RestartJob}
    - {reasons: [NodeLost, Preempted], action: Ignore}
)";
  const DecodedJob job = decode_job(manifest + run);
  EXPECT_THAT(job.problems, IsEmpty());
  const RunPolicy expected{
      .suspend = true,
      .backoff_limit = 2,
      .drain = seconds(30),
      .start_deadline = seconds(600),
      .active_deadline = seconds(3600),
      .progress_deadline = seconds(900),
      .ttl_after_finished = seconds(0),
      .keep_pods = KeepPods::failed,
      .failure_rules = {{.exit_codes = {3},
                         .causes = {EndCause::evicted, EndCause::out_of_memory},
                         .roles = {train::Role::ps},
                         .action = FailureAction::restart_job},
                        {.causes = {EndCause::node_lost, EndCause::preempted}, .action = FailureAction::ignore}}};
  EXPECT_EQ(job.spec.run, expected);
  EXPECT_EQ(decode_job(to_json(job_node(job.spec))).spec.run, expected);
  const DecodedJob wrong = decode_job(manifest + "  run: {failureRules: [{reasons: [Evict], action: Retry}]}\n");
  ASSERT_EQ(wrong.problems.size(), 2U);
  EXPECT_EQ(wrong.problems[0].text,
            "'Evict' is unknown; there are Evicted, Preempted, OOMKilled, NodeLost; did you mean 'Evicted'? (line 12)");
  EXPECT_EQ(wrong.problems[1].field, "spec.run.failureRules[0].action");
}

}  // namespace
}  // namespace carrack::control
