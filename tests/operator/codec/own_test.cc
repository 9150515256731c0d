// Manifests of jobs that bring their own image.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/codec/job.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string manifest = R"(apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: fit}
spec:
  strategy: Own
  framework: PyTorch
  success: AllWorkers
  replicas:
    coordinator: {template: {spec: {containers: [{name: trainer, image: a}]}}}
    worker: {count: 3, resources: {limits: {nvidia.com/gpu: 1}}, template: {spec: {containers: [{name: trainer, image: b}]}}}
  run: {backoffLimit: 2}
)";

std::vector<std::string> problems_with(const std::string& old, const std::string& other) {
  std::string text = manifest;
  std::vector<std::string> lines;
  for (const Problem& problem : decode_job(text.replace(text.find(old), old.size(), other)).problems) {
    lines.push_back(problem.field + ": " + problem.text);
  }
  return lines;
}

TEST(OwnManifest, HasTheRolesThatItNames) {
  const DecodedJob job = decode_job(manifest);
  EXPECT_THAT(job.problems, IsEmpty());
  EXPECT_EQ(job.spec.own, (OwnProgram{.framework = Framework::pytorch,
                                      .success = SuccessPolicy::all_workers,
                                      .coordinators = 1,
                                      .ps = 0,
                                      .workers = 3}));
  EXPECT_EQ(job.spec.worker_pod.resources.limits.at("nvidia.com/gpu"), "1");
  EXPECT_EQ(job.spec.run.backoff_limit, 2);
  EXPECT_EQ(job.spec.ps_pod, PodOptions());
}

TEST(OwnManifest, IsTheSameAfterEncoding) {
  const JobSpec spec = decode_job(manifest).spec;
  EXPECT_EQ(decode_job(to_yaml(job_node(spec))).spec, spec);
  EXPECT_EQ(decode_job(to_json(job_node(spec))).spec.own, spec.own);
}

TEST(OwnManifest, HasNothingOfTheTrainer) {
  const std::string why = "is for the trainer; with strategy Own the image's program has its own settings";
  EXPECT_THAT(
      problems_with("  success: AllWorkers\n", "  model: {}\n  data: 1\n  checkpoint: {folder: a}\n  security: {}\n"),
      ElementsAre("spec.model: " + why + " (line 7)", "spec.data: " + why + " (line 8)",
                  "spec.checkpoint: " + why + " (line 9)", "spec.security: " + why + " (line 10)"));
  EXPECT_THAT(
      problems_with("count: 3", "min: 1, max: 3"),
      ElementsAre("spec.replicas.worker.min: is for jobs of the trainer; with strategy Own give count (line 10)",
                  "spec.replicas.worker.max: is for jobs of the trainer; with strategy Own give count (line 10)"));
  EXPECT_THAT(problems_with("count: 3", "count: 0"),
              ElementsAre("spec.replicas.worker.count: is 0; leave out a role that has no process (line 10)"));
  EXPECT_THAT(problems_with("PyTorch", "Pytorch"),
              ElementsAre("spec.framework: 'Pytorch' is unknown; there are None, TensorFlow, PyTorch; did you mean "
                          "'PyTorch'? (line 6)"));
  const std::vector<std::string> of_trainer = problems_with("Own", "ParameterServer");
  EXPECT_THAT(of_trainer, testing::Contains("spec.framework: is for strategy Own; leave it out (line 6)"));
  EXPECT_THAT(of_trainer, testing::Contains("spec.success: is for strategy Own; leave it out (line 7)"));
}

const std::string own_model = R"(apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: fit}
spec:
  strategy: ParameterServer
  replicas:
    worker: {min: 1, max: 2, template: {spec: {containers: [{name: trainer, image: a, command: [python3, /fit.py]}]}}}
  model:
    kind: Own
    tensors:
    - {name: fc1.weight, shape: [128, 3072], initial: {kind: Uniform, scale: 0.018}}
    - {name: fc1.scale, shape: [], initial: {kind: Constant, scale: 1}}
    - {name: bn1.running_mean, shape: [64], trained: false}
  data: {train: {files: [a]}, features: {x: {type: float32, size: 3072}}}
  training: {batch: 64, optimizer: {kind: SGD}}
  checkpoint: {folder: out}
)";

TEST(OwnModelManifest, HasTheTensorsThatItLists) {
  const DecodedJob job = decode_job(own_model);
  EXPECT_THAT(job.problems, IsEmpty());
  EXPECT_EQ(
      job.spec.config.model,
      train::Model(train::OwnModel{{{"fc1.weight", {128, 3072}, {train::OwnInitial::Kind::uniform, 0.018}},
                                    {"fc1.scale", {}, {train::OwnInitial::Kind::constant, 1}},
                                    {.name = "bn1.running_mean", .shape = {64}, .initial = {}, .trained = false}}}));
  EXPECT_EQ(decode_job(to_yaml(job_node(job.spec))).spec, job.spec);
}

TEST(OwnModelManifest, SaysWhichFieldsATensorLacks) {
  const auto problems = [](const std::string& old, const std::string& other) {
    std::string text = own_model;
    std::vector<std::string> lines;
    for (const Problem& problem : decode_job(text.replace(text.find(old), old.size(), other)).problems) {
      lines.push_back(problem.field + ": " + problem.text);
    }
    return lines;
  };
  EXPECT_THAT(problems("shape: [128, 3072], initial: {kind: Uniform, scale: 0.018}", "initial: {kind: Uniform}"),
              ElementsAre("spec.model.tensors[0].shape: is missing (line 11)",
                          "spec.model.tensors[0].initial.scale: is missing (line 11)"));
  EXPECT_THAT(problems("kind: Uniform", "kind: Normal"),
              ElementsAre("spec.model.tensors[0].initial.kind: 'Normal' is unknown; there are Constant, Uniform, "
                          "TruncatedNormal (line 11)"));
  EXPECT_THAT(problems("kind: Own", "kind: Own\n    input: x"), testing::SizeIs(1));
  EXPECT_THAT(problems("trained: false", "traind: false"),
              ElementsAre("spec.model.tensors[2].traind: is unknown; did you mean 'trained'? (line 13)"));
}

}  // namespace
}  // namespace carrack::control
