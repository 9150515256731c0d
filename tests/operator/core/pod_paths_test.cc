#include "operator/core/pod_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/codec/node.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> problems_of(const JobSpec& spec) {
  std::vector<std::string> lines;
  for (const Problem& problem : paths_on_no_volume(spec)) lines.push_back(problem.field + ": " + problem.text);
  return lines;
}

JobSpec job_with(const std::string& files, const std::string& folder) {
  JobSpec spec = some_job();
  spec.config.data.files = {files};
  spec.config.checkpoint.folder = folder;
  return spec;
}

Node mounting(const std::string& folder) {
  const std::string volume = "volumes: [{name: data, emptyDir: {}}]";
  return std::get<Node>(
      parse_yaml("spec: {containers: [{name: other}, {name: trainer, volumeMounts: [{name: data, "
                 "mountPath: " +
                 folder + "}]}], " + volume + "}"));
}

TEST(PodPaths, NeedAVolumeInTheRolesThatUseThem) {
  EXPECT_THAT(problems_of(job_with("gs://b/a", "gs://b/out")), IsEmpty());
  EXPECT_THAT(problems_of(job_with("/data/*.tfrecord", "file:///data/out")),
              ElementsAre("spec.data.train.files[0]: '/data/*.tfrecord' is on no volume in pods; mount one there in "
                          "spec.replicas.coordinator.template and spec.replicas.worker.template, or use gs://",
                          "spec.checkpoint.folder: 'file:///data/out' is on no volume in pods; mount one there in "
                          "spec.replicas.coordinator.template and spec.replicas.ps.template and "
                          "spec.replicas.worker.template, or use gs://"));
  JobSpec spec = job_with("/data/*.tfrecord", "file:///data/out");
  spec.coordinator_pod.pod_template = spec.worker_pod.pod_template = mounting("/data/");
  EXPECT_THAT(problems_of(spec),
              ElementsAre("spec.checkpoint.folder: 'file:///data/out' is on no volume in pods; mount one there in "
                          "spec.replicas.ps.template, or use gs://"));
  spec.ps_pod.pod_template = mounting("/data/out");
  EXPECT_THAT(problems_of(spec), IsEmpty());
}

TEST(PodPaths, LieInTheFolderOfTheMount) {
  for (const char* path : {"data/a", "/", "/dat", "/data2/a", "file://data/a"}) {
    JobSpec spec = job_with(path, "gs://b/out");
    spec.coordinator_pod.pod_template = spec.worker_pod.pod_template = mounting("/data");
    EXPECT_EQ(problems_of(spec).size(), 1U) << path;
  }
}

TEST(PodPaths, AreAllThatAManifestHas) {
  JobSpec spec = job_with("gs://b/a", "gs://b/out");
  spec.config.data.evaluation = train::EvaluationData{{"/eval"}};
  spec.config.data.mix = {{{"gs://b/a", "/mix"}, {}, 1}};
  spec.config.data.stages = {train::Shuffle{}, train::Snapshot{"/snapshot"}};
  spec.config.training.initial_weights = train::InitialWeights{.from = "/weights"};
  spec.config.checkpoint.resume = "/resume";
  std::vector<std::string> fields;
  for (const Problem& problem : paths_on_no_volume(spec)) fields.push_back(problem.field);
  EXPECT_THAT(fields,
              ElementsAre("spec.data.train.mix[0].files[1]", "spec.data.train.stages[1].snapshot.folder",
                          "spec.data.eval.files[0]", "spec.training.initialWeights.from", "spec.checkpoint.resume"));
}

TEST(PodPaths, OfSingleAreThoseOfItsWorker) {
  JobSpec spec = job_with("/data/a", "/data/out");
  spec.config.strategy = train::Strategy::single;
  EXPECT_THAT(problems_of(spec),
              ElementsAre("spec.data.train.files[0]: '/data/a' is on no volume in pods; mount one there in "
                          "spec.replicas.worker.template, or use gs://",
                          "spec.checkpoint.folder: '/data/out' is on no volume in pods; mount one there in "
                          "spec.replicas.worker.template, or use gs://"));
  spec.worker_pod.pod_template = mounting("/data");
  EXPECT_THAT(problems_of(spec), IsEmpty());
}

}  // namespace
}  // namespace carrack::control
