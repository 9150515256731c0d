#include "operator/core/resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/core/scene.h"

namespace carrack::control {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using train::Role;

std::vector<Problem> problems_of(const Resources& resources) {
  Problems problems;
  check_resources(resources, "r", problems);
  return problems.found();
}

TEST(Resources, MayBeAnyThatKubernetesKnows) {
  for (const char* cpu : {"2", "0.5", "500m"}) {
    for (const char* memory : {"1000000", "512Mi", "1.5G"}) {
      EXPECT_THAT(problems_of({{{"cpu", cpu}, {"memory", memory}}, {}}), IsEmpty()) << cpu << " " << memory;
    }
  }
  EXPECT_THAT(problems_of({{{"cpu", "500m"}, {"memory", "1000Mi"}},
                           {{"cpu", "0.5"},
                            {"memory", "1Gi"},
                            {"ephemeral-storage", "10G"},
                            {"hugepages-2Mi", "4Mi"},
                            {"example.com/device", "2"}}}),
              IsEmpty());
}

TEST(Resources, AreRefusedByName) {
  EXPECT_THAT(
      problems_of({{{"cpu", "1Gi"}, {"memory", "0"}}, {{"ephemeral-storage", "1 Gi"}, {"example.com/device", "0.5"}}}),
      ElementsAre(Problem{"r.requests.cpu", "'1Gi' is not a quantity of processors; write 2, 0.5 or 500m"},
                  Problem{"r.requests.memory", "'0' is not a quantity of memory; write 512Mi or 4Gi"},
                  Problem{"r.limits.ephemeral-storage", "'1 Gi' is not a quantity of bytes; write 512Mi or 4Gi"},
                  Problem{"r.limits.example.com/device", "'0.5' is not a number of devices; write 1"}));
  for (const char* name : {"memroy", "gpu", "/gpu", "a.b/", "a/b/c", "a b/c", ""}) {
    const std::vector<Problem> problems = problems_of({{}, {{name, "1"}}});
    ASSERT_EQ(problems.size(), 1U) << name;
    EXPECT_EQ(problems[0].text,
              "is not a resource; there are cpu, memory, ephemeral-storage, hugepages-2Mi and, with a domain, devices "
              "such as example.com/device");
  }
}

std::vector<Problem> problems_of_gpus(const Resources& resources, Role role) {
  Problems problems;
  check_gpus(resources, role, "r", problems);
  return problems.found();
}

TEST(Resources, OfAWorkerMayBeGpus) {
  for (const char* count : {"1", "2", "4", "8", "16"}) {
    EXPECT_THAT(problems_of_gpus({{}, {{"cpu", "1"}, {"nvidia.com/gpu", count}}}, Role::worker), IsEmpty());
  }
  EXPECT_THAT(
      problems_of_gpus({{}, {{"nvidia.com/gpu", "3"}, {"nvidia.com/gpu.shared", "1"}, {"nvidia.com/mig-1g.5gb", "1"}}},
                       Role::worker),
      ElementsAre(Problem{"r.limits.nvidia.com/gpu",
                          "is 3; a worker computes on 1, 2, 4, 8 or 16 GPUs or, without this, on its CPUs"},
                  Problem{"r.limits.nvidia.com/gpu.shared", "the trainer computes on whole GPUs; use nvidia.com/gpu"},
                  Problem{"r.limits.nvidia.com/mig-1g.5gb", "the trainer computes on whole GPUs; use nvidia.com/gpu"}));
  EXPECT_THAT(problems_of_gpus({{}, {{"nvidia.com/gpu", "0"}}}, Role::worker),
              ElementsAre(Problem{"r.limits.nvidia.com/gpu",
                                  "is 0; a worker computes on 1, 2, 4, 8 or 16 GPUs or, without this, on its CPUs"}));
  // check_resources() refuses what is no number.
  EXPECT_THAT(problems_of_gpus({{}, {{"nvidia.com/gpu", "one"}, {"nvidia.com/hostdev", "2"}}}, Role::worker),
              IsEmpty());
  const char* why = "only workers compute on GPUs; leave it out";
  EXPECT_THAT(problems_of_gpus({{{"nvidia.com/gpu", "1"}}, {{"nvidia.com/gpu", "1"}}}, Role::ps),
              ElementsAre(Problem{"r.requests.nvidia.com/gpu", why}, Problem{"r.limits.nvidia.com/gpu", why}));
}

TEST(Resources, SayOnHowManyGpusAWorkerComputes) {
  JobSpec spec = some_job();
  EXPECT_EQ(gpus_of_worker(spec), 0);
  spec.worker_pod.resources.limits["nvidia.com/gpu"] = "1";
  EXPECT_EQ(gpus_of_worker(spec), 1);
  spec.worker_pod.resources.limits["nvidia.com/gpu"] = "8";
  EXPECT_EQ(gpus_of_worker(spec), 8);
  for (const char* refused : {"99999999999999999", "many"}) {
    spec.worker_pod.resources.limits["nvidia.com/gpu"] = refused;
    EXPECT_LE(gpus_of_worker(spec), 16) << refused;
  }
  spec.config.model = train::OwnModel{};
  EXPECT_EQ(gpus_of_worker(spec), 0);
}

TEST(Resources, AreNotRequestedAboveTheirLimit) {
  EXPECT_THAT(problems_of({{{"cpu", "1001m"}, {"memory", "1Gi"}}, {{"cpu", "1"}, {"memory", "1G"}}}),
              ElementsAre(Problem{"r.requests.cpu", "is 1001m, above its limit, 1"},
                          Problem{"r.requests.memory", "is 1Gi, above its limit, 1G"}));
  const std::string differs = "is not the same in r.limits; Kubernetes gives as much of it as the limit says";
  EXPECT_THAT(problems_of({{{"a.b/c", "1"}, {"hugepages-2Mi", "4Mi"}}, {{"a.b/c", "2"}}}),
              ElementsAre(Problem{"r.requests.a.b/c", differs}, Problem{"r.requests.hugepages-2Mi", differs}));
}

TEST(Resources, AreAtMostTwenty) {
  Quantities many;
  for (int i = 0; i < 21; ++i) many["a.b/" + std::to_string(i)] = "1";
  EXPECT_THAT(problems_of({{}, many}), ElementsAre(Problem{"r.limits", "names 21 resources; at most 20"}));
}

TEST(Resources, HaveDefaultsByRole) {
  const JobSpec spec = some_job();
  EXPECT_EQ(resources_of(spec, Role::coordinator),
            (Resources{{{"cpu", "100m"}, {"memory", "256Mi"}}, {{"memory", "256Mi"}}}));
  EXPECT_EQ(resources_of(spec, Role::ps), (Resources{{{"cpu", "250m"}, {"memory", "256Mi"}}, {{"memory", "256Mi"}}}));
  EXPECT_EQ(resources_of(spec, Role::worker),
            (Resources{{{"cpu", "500m"}, {"memory", "512Mi"}}, {{"memory", "512Mi"}}}));
}

TEST(Resources, AreLimitedInMemoryAlone) {
  JobSpec spec = some_job();
  spec.worker_pod.resources.requests = {{"cpu", "4"}, {"memory", "4Gi"}, {"ephemeral-storage", "1Gi"}};
  EXPECT_EQ(resources_of(spec, Role::worker).limits, (Quantities{{"memory", "4Gi"}}));
  spec.worker_pod.resources.limits = {{"memory", "8Gi"}};
  EXPECT_EQ(resources_of(spec, Role::worker).limits, (Quantities{{"memory", "8Gi"}}));
  EXPECT_EQ(resources_of(spec, Role::worker).requests.at("memory"), "4Gi");
}

TEST(Resources, AreRequestedAsTheyAreLimitedIfNothingElseIsSaid) {
  JobSpec spec = some_job();
  spec.worker_pod.resources.limits = {{"cpu", "100m"}, {"memory", "64Mi"}, {"a.b/c", "1"}};
  EXPECT_EQ(resources_of(spec, Role::worker).requests, spec.worker_pod.resources.limits);
}

TEST(Resources, OfACoordinatorThatEvaluatesAreThoseOfAWorker) {
  JobSpec spec = some_job();
  spec.config.data.evaluation = train::EvaluationData{{"a"}};
  EXPECT_EQ(resources_of(spec, Role::coordinator), resources_of(spec, Role::worker));
  spec.worker_pod.resources = {{{"cpu", "3"}, {"memory", "2Gi"}}, {{"memory", "4Gi"}, {"a.b/c", "1"}}};
  EXPECT_EQ(resources_of(spec, Role::coordinator), (Resources{{{"cpu", "3"}, {"memory", "2Gi"}}, {{"memory", "4Gi"}}}));
  spec.coordinator_pod.resources.requests = {{"memory", "8Gi"}};
  EXPECT_EQ(resources_of(spec, Role::coordinator), (Resources{{{"cpu", "3"}, {"memory", "8Gi"}}, {{"memory", "8Gi"}}}));
}

}  // namespace
}  // namespace carrack::control
