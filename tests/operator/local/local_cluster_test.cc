#include "operator/local/local_cluster.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "operator/core/job_status.h"
#include "operator/error.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::control {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::minutes;

TEST(LocalCluster, WaitsForTheEndOfItsJobAndNotLonger) {
  const data::TemporaryFolder temporary;
  RunFolder folder(temporary.path() + "/run");
  JobSpec spec;
  spec.name = "line";
  LocalCluster cluster({spec, {}}, folder, "/bin/true");
  cluster.wait_for_end(std::chrono::milliseconds(1));
  EXPECT_FALSE(is_finished(cluster.status()));
  const Clock::time_point begin = Clock::now();
  const std::jthread finishes([&] {
    JobStatus status;
    set_condition(status, {ConditionType::finished, true, "", "", {}});
    EXPECT_EQ(cluster.put_status("line", 1, status).result, WriteResult::done);
  });
  cluster.wait_for_end(minutes(1));
  EXPECT_TRUE(is_finished(cluster.status()));
  EXPECT_LT(Clock::now() - begin, minutes(1));
}

TEST(LocalCluster, NamesTheFolderOfLogsThatCannotBeMade) {
  const data::TemporaryFolder temporary;
  RunFolder folder(temporary.path() + "/run");
  std::ofstream(folder.path() + "/logs") << "a file";
  try {
    LocalCluster({JobSpec(), {}}, folder, "/bin/true");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder.path() + "/logs: cannot be made a folder: Not a directory; give another --folder");
  }
}

}  // namespace
}  // namespace carrack::control
