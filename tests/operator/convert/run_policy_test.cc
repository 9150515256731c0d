#include "operator/convert/run_policy.h"

#include <fstream>

#include "operator/codec/job.h"
#include "tests/operator/convert/converted.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;

const std::string roles =
    "tfReplicaSpecs: {Worker: {restartPolicy: OnFailure, replicas: 2, template: {spec: {containers: [{name: "
    "tensorflow, "
    "image: i}]}}}}";

ConvertedJob with_policy(const std::string& policy) {
  return converted(manifest("TFJob", "runPolicy: {" + policy + "}, " + roles));
}

std::string problems_of_policy(const std::string& policy) {
  return problems(manifest("TFJob", "runPolicy: {" + policy + "}, " + roles));
}

TEST(KubeflowRunPolicy, IsRun) {
  const ConvertedJob job = with_policy(
      "suspend: true, ttlSecondsAfterFinished: 0, activeDeadlineSeconds: 60, backoffLimit: 4, cleanPodPolicy: Running");
  EXPECT_EQ(
      value(job, {"spec", "run"}),
      R"({"activeDeadlineSeconds":60,"backoffLimit":4,"keepPods":"All","suspend":true,"ttlSecondsAfterFinished":0})");
  EXPECT_THAT(
      changes_of(job, "spec.runPolicy.backoffLimit"),
      ElementsAre("changed: is now spec.run.backoffLimit, which counts restarts of the whole job, not of single "
                  "pods"));
  EXPECT_THAT(changes_of(job, "spec.runPolicy.suspend"), ElementsAre("renamed: is now spec.run.suspend"));
}

TEST(KubeflowRunPolicy, SaysWhichPodsStay) {
  const auto kept = [](const std::string& policy) {
    return value(with_policy("cleanPodPolicy: " + policy), {"spec", "run", "keepPods"});
  };
  EXPECT_EQ(kept("All"), R"("None")");
  EXPECT_EQ(kept("Running"), R"("All")");
  EXPECT_EQ(kept("None"), R"("All")");
  EXPECT_EQ(kept("null"), "null");
  EXPECT_THAT(
      changes_of(with_policy("cleanPodPolicy: None"), "spec.runPolicy.cleanPodPolicy"),
      ElementsAre("changed: is now spec.run.keepPods: All; pods that still run when the job ends are stopped, not "
                  "left alone"));
  EXPECT_EQ(problems_of_policy("cleanPodPolicy: Some"),
            "spec.runPolicy.cleanPodPolicy: is 'Some'; must be All, Running or None");
}

TEST(KubeflowRunPolicy, RestartsWithoutEndHaveALimit) {
  EXPECT_THAT(
      changes_of(with_policy(""), "spec.runPolicy.backoffLimit"),
      ElementsAre("changed: is not given: Kubeflow's operator then restarts without end, Carrack's fails the job "
                  "after 6 restarts of all its processes; set spec.run.backoffLimit"));
  EXPECT_THAT(changes_of(converted(tensorflow_worker("restartPolicy: Never, ")), "spec.runPolicy.backoffLimit"),
              testing::IsEmpty())
      << "nothing restarts";
}

TEST(KubeflowRunPolicy, NumbersBeyondThoseOfATrainingJobAreItsLargest) {
  const ConvertedJob job = with_policy("backoffLimit: 1000, activeDeadlineSeconds: 99999999");
  EXPECT_EQ(value(job, {"spec", "run"}), R"({"activeDeadlineSeconds":31536000,"backoffLimit":99})");
  EXPECT_THAT(changes_of(job, "spec.runPolicy.activeDeadlineSeconds"),
              ElementsAre("changed: is 99999999; a TrainingJob allows at most 31536000",
                          "renamed: is now spec.run.activeDeadlineSeconds"));
}

// As the operator reads it, in an example of a job of another strategy.
TEST(KubeflowRunPolicy, AndRestartPoliciesAreValidInATrainingJob) {
  const std::string template_of_role =
      "template: {spec: {terminationGracePeriodSeconds: 0, containers: [{name: tensorflow, image: i}]}}";
  const ConvertedJob job =
      converted(manifest("TFJob",
                         "runPolicy: {suspend: true, ttlSecondsAfterFinished: 99999999, activeDeadlineSeconds: "
                         "99999999, backoffLimit: 1000, "
                         "cleanPodPolicy: All}, tfReplicaSpecs: {Chief: {restartPolicy: Never, " +
                             template_of_role + "}, PS: {restartPolicy: ExitCode, " + template_of_role +
                             "}, Worker: {restartPolicy: Always, " + template_of_role + "}}"));
  std::ifstream file(CARRACK_EXAMPLE);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Parsed parsed = parse_manifest(text);
  Node example = std::get<Node>(std::move(parsed));
  for (Entry& entry : std::get<Node::Map>(example.value)) {
    if (entry.name == "spec") std::get<Node::Map>(entry.node.value).push_back({"run", at(job.job, {"spec", "run"})});
  }
  const DecodedJob decoded = decode_job(example);
  EXPECT_THAT(decoded.problems, testing::IsEmpty()) << describe(decoded.problems);
  const auto problems = problems_in(decoded.spec, [](const train::Config&) { return std::vector<Problem>(); });
  EXPECT_THAT(problems, testing::IsEmpty()) << describe(problems);
  const RunPolicy& run = decoded.spec.run;
  EXPECT_TRUE(run.suspend);
  EXPECT_EQ(run.backoff_limit, 99);
  EXPECT_EQ(run.drain, seconds(1));
  EXPECT_EQ(run.keep_pods, KeepPods::none);
  EXPECT_EQ(run.failure_rules.size(), 9U);
  EXPECT_EQ(run.failure_rules.front().roles, (std::vector{train::Role::coordinator}));
  EXPECT_EQ(run.failure_rules.back().roles, (std::vector{train::Role::ps}));
}

TEST(KubeflowRunPolicy, WrongValuesAreRefused) {
  EXPECT_EQ(problems_of_policy("activeDeadlineSeconds: 0"),
            "spec.runPolicy.activeDeadlineSeconds: is 0; must be at least 1");
  EXPECT_EQ(problems_of_policy("backoffLimit: many"), "spec.runPolicy.backoffLimit: is text; must be a whole number");
  EXPECT_EQ(problems_of_policy("suspend: 1"), "spec.runPolicy.suspend: is a whole number; must be true or false");
  EXPECT_EQ(problems_of_policy("managedBy: 1"), "spec.runPolicy.managedBy: is a whole number; must be text");
  EXPECT_EQ(problems(manifest("TFJob", "runPolicy: [], " + roles)), "spec.runPolicy: is a list; must be an object");
}

TEST(KubeflowRunPolicy, GangsAndOtherManagersAreNotThere) {
  const ConvertedJob job = with_policy(
      "schedulingPolicy: {minAvailable: 2, queue: q, minResources: {cpu: 1}, priorityClass: p, scheduleTimeoutSeconds: "
      "9, "
      "x: 1}, managedBy: kueue.x-k8s.io/multikueue, extra: 1");
  EXPECT_EQ(value(job, {"spec", "run"}), "null");
  const std::string field = "spec.runPolicy.schedulingPolicy.";
  for (const char* name : {"minAvailable", "queue", "minResources"}) {
    EXPECT_THAT(changes_of(job, field + name),
                ElementsAre("unsupported: there is no gang scheduling; pods are scheduled one by one"));
  }
  EXPECT_THAT(changes_of(job, field + "priorityClass"),
              ElementsAre("unsupported: there is no gang that has it; set priorityClassName in the pod templates"));
  EXPECT_THAT(
      changes_of(job, field + "scheduleTimeoutSeconds"),
      ElementsAre("unsupported: there is no gang scheduling; spec.run.startDeadlineSeconds fails a job that does "
                  "not start in time"));
  EXPECT_THAT(changes_of(job, field + "x"), ElementsAre("dropped: is not a field of a TFJob of kubeflow.org/v1"));
  EXPECT_THAT(changes_of(job, "spec.runPolicy.managedBy"),
              ElementsAre("unsupported: Carrack's operator manages all TrainingJobs; Kueue does not"));
  EXPECT_THAT(changes_of(with_policy("managedBy: kubeflow.org/training-operator"), "spec.runPolicy.managedBy"),
              ElementsAre("dropped: Carrack's operator manages all TrainingJobs"));
}

}  // namespace
}  // namespace carrack::control
