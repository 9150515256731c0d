#include "operator/core/plan.h"

#include <gtest/gtest.h>

#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

TEST(Plan, GivesEveryMemberItsNameAndWhatItIsTold) {
  const JobSpec spec = some_job(2, 1);
  const Plan made = plan(spec, 3, {{ps(1), {7, false, 0, {}}}});
  ASSERT_EQ(made.processes.size(), 4U);
  EXPECT_EQ(made.service, "line-pvhrt-coordinator");
  EXPECT_EQ(made.processes[0].name, "line-pvhrt-coordinator-0-3-1");
  EXPECT_TRUE(made.processes[0].in_service);
  EXPECT_FALSE(made.processes[1].in_service);
  EXPECT_EQ(made.processes[2].name, "line-pvhrt-ps-1-3-7");
  const train::Launch told{"line", "1b4e28ba", ps(1), {3, 7}, {}, spec.config};
  EXPECT_EQ(made.processes[2].launch, told);
}

TEST(Plan, OfSingleIsOneWorkerWithoutAService) {
  JobSpec spec = some_job();
  spec.config.strategy = train::Strategy::single;
  const Plan made = plan(spec, 0, {});
  ASSERT_EQ(made.processes.size(), 1U);
  EXPECT_EQ(made.service, "");
  EXPECT_EQ(made.processes[0].name, "line-pvhrt-worker-0-0-1");
  EXPECT_TRUE(made.processes[0].in_service) << "the coordinator is inside, and tells the progress";
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
