#include "operator/core/plan.h"

#include <gtest/gtest.h>

#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

TEST(Plan, GivesEveryStartItsNameAndWhatItIsTold) {
  const JobSpec spec = some_job(2, 1);
  EXPECT_EQ(members_of(spec), (std::vector{coordinator, ps(0), ps(1), worker(0)}));
  EXPECT_EQ(service_name(spec), "line-pvhrt-coordinator");
  EXPECT_EQ(config_name(spec), "line-pvhrt-config");
  EXPECT_EQ(key_name(spec), "line-pvhrt-key-" + spec.uid);
  const Process process = process_of(spec, ps(1), {3, 7});
  EXPECT_EQ(process.name, "line-pvhrt-ps-1-3-7");
  EXPECT_EQ(process.launch, (train::Launch{"line", "1b4e28ba", ps(1), {3, 7}, {}, spec.config}));
  EXPECT_FALSE(process.in_service);
  EXPECT_TRUE(process_of(spec, coordinator, {3, 1}).in_service);
}

TEST(Plan, HasAsManyWorkersAsCountSaysElseMax) {
  JobSpec spec = some_job(1, 3);
  EXPECT_EQ(members_of(spec), (std::vector{coordinator, ps(0), worker(0), worker(1), worker(2)}));
  spec.worker_count = 1;
  EXPECT_EQ(members_of(spec), (std::vector{coordinator, ps(0), worker(0)}));
}

TEST(Plan, TellsAllMembersHowManyWorkersThereMayEverBe) {
  JobSpec spec = some_job(1, 3);
  spec.worker_count = 2;
  EXPECT_EQ(config_of_members(spec).workers, (train::Replicas{1, 3})) << "as the manifest bounds them";
  spec.worker_count.reset();
  spec.config.workers = {2, 2};
  EXPECT_EQ(config_of_members(spec).workers, (train::Replicas{2, 8})) << "one for each lane";
  spec.config.training.lanes = 65'536;
  EXPECT_EQ(config_of_members(spec).workers, (train::Replicas{2, 1000}));
  spec.config.training.lanes = 1;  // It is not valid, and fails before any process starts.
  EXPECT_EQ(config_of_members(spec).workers, (train::Replicas{2, 2}));
  spec.config.training.lanes = 8;
  spec.config.strategy = train::Strategy::single;
  spec.config.workers = {1, 1};
  EXPECT_EQ(config_of_members(spec), spec.config);
}

TEST(Plan, OfSingleIsOneWorkerWithoutAService) {
  JobSpec spec = some_job();
  spec.config.strategy = train::Strategy::single;
  EXPECT_EQ(members_of(spec), std::vector{worker(0)});
  EXPECT_EQ(service_name(spec), "");
  const Process process = process_of(spec, worker(0), {0, 1});
  EXPECT_EQ(process.name, "line-pvhrt-worker-0-0-1");
  EXPECT_TRUE(process.in_service) << "the coordinator is inside, and tells the progress";
}

TEST(Plan, TellsJobsOfOneNameApartByTheirUid) {
  JobSpec spec = some_job();
  const std::string before = service_name(spec);
  spec.uid = "9a7c";
  EXPECT_NE(service_name(spec), before);
}

TEST(Plan, KeepsNamesWithinAHostNameWhateverTheJobIsCalled) {
  JobSpec spec = some_job();
  spec.name = std::string(29, 'a') + "-" + std::string(33, 'b');
  const std::string name = process_name(spec, coordinator, {99, 999'999'999});
  EXPECT_LE(name.size(), 63U);
  EXPECT_EQ(name, std::string(29, 'a') + "-pvhrt-coordinator-0-99-999999999");
}

}  // namespace
}  // namespace carrack::control
