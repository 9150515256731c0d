#include "trainer/loop/roles/progress.h"

#include <gtest/gtest.h>

namespace carrack::train {
namespace {

const Reporter reporter{"1b4e28ba-2fa1-11d2-883f-0016d3cca427", {0, 1}};

TEST(ProgressText, IsTheDocumentedOne) {
  EXPECT_EQ(to_json(ProgressReport{reporter, 73, 500, 0.25, 73, "checkpoint-73-0-1-3.manifest", true}),
            "{\"job\":\"f8dbf6541777e07307d5539bc75d2a3f\",\"attempt\":0,\"incarnation\":1,\"step\":73,"
            "\"total_steps\":500,\"loss\":0.25,\"checkpoint\":{\"step\":73,"
            "\"manifest\":\"checkpoint-73-0-1-3.manifest\"},\"drained\":true}\n");
}

// Who knows the UID can open streams to the members of the job.
TEST(ProgressText, DoesNotHaveTheUid) {
  const std::string text = to_json(ProgressReport{reporter, 73, 500, 0.25, 0, "", true});
  EXPECT_EQ(text.find("1b4e28ba"), std::string::npos) << text;
  EXPECT_EQ(text.find("0016d3cca427"), std::string::npos) << text;
}

TEST(ProgressText, SaysZeroForATotalThatNobodyKnows) {
  const std::string text = to_json(ProgressReport{reporter, 73, std::nullopt, 0.25, 0, "", false});
  EXPECT_NE(text.find("\"step\":73,\"total_steps\":0,"), std::string::npos) << text;
}

TEST(ProgressText, IsTheDocumentedOneWhileTheDataIsMadeReady) {
  for (const auto& [work, name] : {std::pair(DataWork::indexing, "indexing"), {DataWork::snapshot, "snapshot"}})
    EXPECT_EQ(to_json(reporter, work, {3, 12, 1'200'000'000, 4'800'000'000}),
              "{\"job\":\"f8dbf6541777e07307d5539bc75d2a3f\",\"attempt\":0,\"incarnation\":1,\"" + std::string(name) +
                  "\":{\"files\":3,\"total_files\":12,\"bytes\":1200000000,\"total_bytes\":4800000000}}\n");
}

}  // namespace
}  // namespace carrack::train
