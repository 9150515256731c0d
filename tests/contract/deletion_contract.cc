#include "tests/contract/cluster_contract.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

TEST_P(DeletionContract, TakesEverythingOfAJobAwayWithIt) {
  create_job();
  create(coordinator, 1);
  under_test_->delete_job(job_);
  EXPECT_FALSE(settled().job);
  EXPECT_NE(cluster().put_status(job_, 1, {}).result, WriteResult::done);
}

}  // namespace
}  // namespace carrack::control
