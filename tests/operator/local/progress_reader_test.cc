#include "operator/local/progress_reader.h"

#include <gtest/gtest.h>

namespace carrack::control {
namespace {

TEST(ProgressReader, ReadsWhatACoordinatorTells) {
  const auto report =
      report_from(R"({"step":73,"total_steps":500,"loss":0.25,)"
                  R"("checkpoint":{"step":73,"manifest":"checkpoint-73-0-1-3.manifest"},"drained":true})");
  const CoordinatorReport expected{{}, {73, 500, 0, 0}, LastCheckpoint{73, "checkpoint-73-0-1-3.manifest"}, true};
  EXPECT_EQ(report, expected);
}

TEST(ProgressReader, TakesAJobForNotDrainedUnlessItIsToldSo) {
  EXPECT_FALSE(report_from(R"({"step":73})")->drained);
  EXPECT_FALSE(report_from(R"({"step":73,"drained":false})")->drained);
  EXPECT_FALSE(report_from(R"({"step":73,"drained":"true"})")->drained);
}

TEST(ProgressReader, TakesNothingFromWhatIsNoReport) {
  EXPECT_EQ(report_from("[]"), std::nullopt);
  EXPECT_EQ(report_from("{\"step\":"), std::nullopt);
}

}  // namespace
}  // namespace carrack::control
