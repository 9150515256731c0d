#include "trainer/loop/roles/progress.h"

#include <gtest/gtest.h>

#include <limits>

#include "trainer/launch/log_line.h"

namespace carrack::train {
namespace {

const Reporter reporter{"1b4e28ba-2fa1-11d2-883f-0016d3cca427", {0, 1}};

TEST(ProgressText, IsTheDocumentedOne) {
  EXPECT_EQ(to_json(ProgressReport{reporter, 73, 500, 0.25, 73, "checkpoint-73-0-1-3.manifest"}),
            "{\"job\":\"f8dbf6541777e07307d5539bc75d2a3f\",\"attempt\":0,\"incarnation\":1,\"step\":73,"
            "\"total_steps\":500,\"loss\":0.25,\"checkpoint\":{\"step\":73,"
            "\"manifest\":\"checkpoint-73-0-1-3.manifest\"}}\n");
}

TEST(ProgressText, SaysHowManyRecordsTheLastCheckpointLeftOut) {
  ProgressReport report{reporter, 73, 500, 0.25, 60, "checkpoint-60-0-1-3.manifest"};
  report.skipped = {3, "x: record 7 at byte 96: there is no feature \"y\""};
  EXPECT_NE(to_json(report).find(R"("checkpoint":{"step":60,"manifest":"checkpoint-60-0-1-3.manifest","skipped":3,)"
                                 R"("first_skipped":"x: record 7 at byte 96: there is no feature \"y\""}})"),
            std::string::npos)
      << to_json(report);
}

// Who knows the UID can open streams to the members of the job.
TEST(ProgressText, DoesNotHaveTheUid) {
  const std::string text = to_json(ProgressReport{reporter, 73, 500, 0.25, 0, ""});
  EXPECT_EQ(text.find("1b4e28ba"), std::string::npos) << text;
  EXPECT_EQ(text.find("0016d3cca427"), std::string::npos) << text;
}

TEST(ProgressText, SaysZeroForATotalThatNobodyKnows) {
  const std::string text = to_json(ProgressReport{reporter, 73, std::nullopt, 0.25, 0, ""});
  EXPECT_NE(text.find("\"step\":73,\"total_steps\":0,"), std::string::npos) << text;
}

TEST(ProgressText, IsTheDocumentedOneWhileTheDataIsMadeReady) {
  for (const auto& [work, name] : {std::pair(DataWork::indexing, "indexing"), {DataWork::snapshot, "snapshot"}})
    EXPECT_EQ(to_json(reporter, work, {3, 12, 1'200'000'000, 4'800'000'000}),
              "{\"job\":\"f8dbf6541777e07307d5539bc75d2a3f\",\"attempt\":0,\"incarnation\":1,\"" + std::string(name) +
                  "\":{\"files\":3,\"total_files\":12,\"bytes\":1200000000,\"total_bytes\":4800000000}}\n");
}

TEST(ProgressText, HasTheShareOfTheTimeInWhichWorkersWaitForRecords) {
  ProgressReport report{reporter, 73, 500, 0.25, 60, "checkpoint-60-0-1-3.manifest"};
  EXPECT_EQ(to_json(report).find("input_wait"), std::string::npos);
  report.input_wait = 0.254;
  EXPECT_NE(to_json(report).find(R"(,"input_wait":0.25})"), std::string::npos) << to_json(report);
}

TEST(ProgressText, SaysHowStaleGradientsAre) {
  ProgressReport report{reporter, 73, 500, 0.25, 60, "checkpoint-60-0-1-3.manifest"};
  EXPECT_EQ(to_json(report).find("staleness"), std::string::npos);
  report.staleness[3].add(0);
  for (const std::uint64_t staleness : {0, 1, 4, 7}) report.staleness[12].add(staleness);
  EXPECT_NE(to_json(report).find(R"(,"staleness":{"all":[2,1,0,2],"workers":{"3":[1],"12":[1,1,0,2]}})"),
            std::string::npos)
      << to_json(report);
  for (std::uint32_t worker = 100; worker < 199; ++worker) report.staleness[worker].add(~std::uint64_t{0});
  EXPECT_NE(to_json(report).find(R"(,"staleness":{"all":[2,1,0,2,0,0,0,0,0,0,0,0,0,0,0,99]})"), std::string::npos)
      << "of 101 workers";
}

TEST(ProgressText, NamesMembersThatHang) {
  ProgressReport report{reporter, 73, 500, 0.25, 60, "checkpoint-60-0-1-3.manifest"};
  EXPECT_EQ(to_json(report).find("hung"), std::string::npos);
  report.hung = {{{Role::worker, 1}, 2, "has computed"}, {{Role::ps, 0}, 1, "\"x\""}};
  EXPECT_NE(to_json(report).find(R"(,"hung":[{"role":"worker","index":1,"incarnation":2,"why":"has computed"},)"
                                 R"({"role":"ps","index":0,"incarnation":1,"why":"\"x\""}]})"),
            std::string::npos)
      << to_json(report);
}

TEST(ProgressText, FitsIntoATerminationMessageAtTheEnd) {
  constexpr std::size_t message_max = 4096;  // of the file from which Kubernetes reads the message
  const std::string records_left_out(512, '"');
  ProgressReport report{reporter, 73, 500, 0.25, 60, "checkpoint-60-0-1-3.manifest"};
  report.skipped = {3, records_left_out};
  const std::string short_one = to_json(report);
  for (std::uint32_t worker = 0; worker < 100; ++worker) {
    report.hung.push_back({{Role::worker, static_cast<int>(worker)}, 1, "has computed step 412 for 75 s"});
    for (std::uint64_t staleness = 1; staleness < 10'000; staleness *= 2) report.staleness[worker].add(staleness);
  }
  EXPECT_GT(to_json(report).size(), message_max);
  EXPECT_EQ(to_json_at_end(report), short_one);
  EXPECT_LE(short_one.size() + termination_message_max, message_max);
}

TEST(ProgressText, HasTheLastEvaluationAndTheBestCheckpoint) {
  EvaluationReport evaluation{.step = 60, .metrics = {{"loss", 0.5}, {"accuracy", 0.75}}};
  ProgressReport report{reporter, 73, 500, 0.25, 60, "checkpoint-60-0-1-3.manifest"};
  report.evaluation = std::make_shared<const EvaluationReport>(evaluation);
  const std::string without = to_json(report);
  EXPECT_NE(without.find(R"(,"evaluation":{"step":60,"loss":0.5,"accuracy":0.75}})"), std::string::npos) << without;
  evaluation.metrics = {{"loss", std::numeric_limits<double>::quiet_NaN()}, {"accuracy", 0.75}};
  evaluation.best_step = 40;
  evaluation.best_manifest = "checkpoint-40-0-1-2.manifest";
  evaluation.best_loss = 0.125;
  report.evaluation = std::make_shared<const EvaluationReport>(evaluation);
  const std::string with = to_json(report);
  EXPECT_NE(with.find(R"(,"evaluation":{"step":60,"accuracy":0.75},)"
                      R"("best":{"step":40,"loss":0.125,"manifest":"checkpoint-40-0-1-2.manifest"}})"),
            std::string::npos)
      << with;
}

TEST(ProgressText, IsTheDocumentedOneWhileAnotherJobHasTheFolder) {
  EXPECT_EQ(to_json_of_take_over(reporter),
            "{\"job\":\"f8dbf6541777e07307d5539bc75d2a3f\",\"attempt\":0,\"incarnation\":1,\"take_over\":{}}\n");
}

TEST(ProgressText, IsTheDocumentedOneWhileMeanAndDeviationAreComputed) {
  EXPECT_EQ(to_json(reporter, RecordsRead{300, 1200}),
            "{\"job\":\"f8dbf6541777e07307d5539bc75d2a3f\",\"attempt\":0,\"incarnation\":1,"
            "\"statistics\":{\"records\":300,\"total_records\":1200}}\n");
}

}  // namespace
}  // namespace carrack::train
