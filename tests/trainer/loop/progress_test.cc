#include "trainer/loop/roles/progress.h"

#include <gtest/gtest.h>

namespace carrack::train {
namespace {

const ProgressTeller teller{"1b4e28ba-2fa1-11d2-883f-0016d3cca427", {0, 1}};

TEST(ProgressText, IsTheDocumentedOne) {
  const Commit commit{"checkpoint-73-0-1-3.manifest", 0, 73, {}};
  EXPECT_EQ(json_of(ProgressReport{teller, 73, 500, 0.25, commit, true}),
            "{\"job\":\"1b4e28ba-2fa1-11d2-883f-0016d3cca427\",\"attempt\":0,\"incarnation\":1,\"step\":73,"
            "\"total_steps\":500,\"loss\":0.25,\"checkpoint\":{\"step\":73,"
            "\"manifest\":\"checkpoint-73-0-1-3.manifest\"},\"drained\":true}\n");
}

TEST(ProgressText, SaysZeroForATotalThatNobodyKnows) {
  const std::string text = json_of(ProgressReport{teller, 73, std::nullopt, 0.25, {}, false});
  EXPECT_NE(text.find("\"step\":73,\"total_steps\":0,"), std::string::npos) << text;
}

TEST(ProgressText, IsTheDocumentedOneWhileTheDataIsMadeReady) {
  for (const auto& [work, name] : {std::pair(DataWork::indexing, "indexing"), {DataWork::snapshot, "snapshot"}})
    EXPECT_EQ(json_of(teller, work, {3, 12, 1'200'000'000, 4'800'000'000}),
              "{\"job\":\"1b4e28ba-2fa1-11d2-883f-0016d3cca427\",\"attempt\":0,\"incarnation\":1,\"" +
                  std::string(name) +
                  "\":{\"files\":3,\"total_files\":12,\"bytes\":1200000000,\"total_bytes\":4800000000}}\n");
}

}  // namespace
}  // namespace carrack::train
