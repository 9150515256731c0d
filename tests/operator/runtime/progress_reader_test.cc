#include "operator/runtime/progress_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/gcs/connection.h"

namespace carrack::control {
namespace {

const ProgressSource source{"1b4e28ba", {2, 3}, ""};

// A report of this start with these fields besides.
std::string report_with(const std::string& fields) {
  return R"({"job":"1b4e28ba","attempt":2,"incarnation":3,)" + fields + "}";
}

std::optional<CoordinatorReport> report_of(const std::string& fields) {
  return parse_report(report_with(fields), source);
}

std::optional<CoordinatorReport> progress_at(const std::string& address) {
  return read_progress({source.job_uid, source.fence, address});
}

TEST(ProgressReader, ReadsWhatACoordinatorTells) {
  const auto report = report_of(R"("step":73,"total_steps":500,"loss":0.25,)"
                                R"("checkpoint":{"step":73,"manifest":"checkpoint-73-0-1-3.manifest"})");
  const CoordinatorReport expected{{2, 3}, {73, 500, 0.25}, LastCheckpoint{73, "checkpoint-73-0-1-3.manifest"}};
  EXPECT_EQ(report, expected);
}

TEST(ProgressReader, ReadsHowLongWorkersWaitForRecords) {
  EXPECT_EQ(report_of(R"("step":73,"input_wait":0.25)")->progress.input_wait, 0.25);
  EXPECT_EQ(report_of(R"("step":73,"input_wait":7)")->progress.input_wait, 1);
  EXPECT_EQ(report_of(R"("step":73,"input_wait":-7)")->progress.input_wait, 0);
  EXPECT_EQ(report_of(R"("step":73,"input_wait":"much")")->progress.input_wait, std::nullopt);
}

TEST(ProgressReader, ReadsTheLastEvaluationAndTheBestCheckpoint) {
  const auto report = report_of(R"("step":73,"evaluation":{"step":60,"loss":0.5,"accuracy":0.75,"area_under_curve":1,)"
                                R"("mean_absolute_error":2,"mean_squared_error":4,"of_a_later_release":5},)"
                                R"("best":{"step":40,"loss":0.25,"manifest":"checkpoint-40-0-1-2.manifest"})");
  EXPECT_EQ(report->evaluation, (EvaluationStatus{60, 0.5, 0.75, 1, 2, 4}));
  EXPECT_EQ(report->best_checkpoint, (BestCheckpoint{40, "checkpoint-40-0-1-2.manifest", 0.25}));
  EXPECT_EQ(report_of(R"("evaluation":{"step":60,"loss":"much","accuracy":null})")->evaluation, EvaluationStatus{60});
  EXPECT_EQ(report_of(R"("evaluation":7,"best":{"step":40})")->evaluation, std::nullopt);
  EXPECT_EQ(report_of(R"("best":{"step":40})")->best_checkpoint, std::nullopt);
  EXPECT_EQ(report_of(R"("best":{"step":40,"manifest":""})")->best_checkpoint, std::nullopt);
}

TEST(ProgressReader, AcceptsTheTokenOfTheJobAndTheUidOfOlderTrainers) {
  const std::string rest = R"(","attempt":2,"incarnation":3,"step":73})";
  EXPECT_NE(parse_report(R"({"job":"4aeba07853f533c63b8f78b17c59d890)" + rest, source), std::nullopt);
  EXPECT_NE(parse_report(R"({"job":"1b4e28ba)" + rest, source), std::nullopt);
  EXPECT_EQ(parse_report(R"({"job":"4aeba07853f533c63b8f78b17c59d891)" + rest, source), std::nullopt);
}

TEST(ProgressReader, ReadsHowFarTheDataIsReadyAndThenNothingElse) {
  const auto report = report_of(R"("indexing":{"files":3,"total_files":12,"bytes":1200,"total_bytes":4800},"step":7)");
  EXPECT_EQ(report,
            (CoordinatorReport{{2, 3}, {}, std::nullopt, DataWork{DataWork::Kind::indexing, 3, 12, 1200, 4800}}));
  EXPECT_EQ(report_of(R"("indexing":{"files":-3,"bytes":"many"})")->data_work, DataWork{});
  EXPECT_EQ(report_of(R"("indexing":true,"snapshot":7)")->data_work, std::nullopt);
  EXPECT_EQ(report_of(R"("snapshot":{"files":3,"total_files":12,"bytes":1200,"total_bytes":4800})")->data_work,
            (DataWork{DataWork::Kind::snapshot, 3, 12, 1200, 4800}));
  EXPECT_EQ(report_of(R"("statistics":{"records":300,"total_records":1200})")->data_work,
            (DataWork{.kind = DataWork::Kind::statistics, .records = 300, .total_records = 1200}));
  EXPECT_EQ(report_of(R"("take_over":{})")->data_work, DataWork{.kind = DataWork::Kind::take_over});
}

TEST(ProgressReader, TakesTheReportOutOfLastWords) {
  LastWords last = parse_last_words(report_with(R"("step":73)") + "\nno memory\nat all", source);
  EXPECT_EQ(last.report->progress.step, 73);
  EXPECT_EQ(last.words, "no memory\nat all");
  last = parse_last_words(report_with(R"("step":73)"), source);
  EXPECT_EQ(last.report->progress.step, 73);
  EXPECT_EQ(last.words, "");
  for (const std::string words : {"", "no memory\nat all", "{\n", R"({"job":"another","step":7})"}) {
    last = parse_last_words(words, source);
    EXPECT_EQ(last.report, std::nullopt);
    EXPECT_EQ(last.words, words);
  }
}

TEST(ProgressReader, KnowsNoLossThatIsNotFinite) {
  EXPECT_EQ(report_of(R"("step":73,"loss":0.25)")->progress.loss, 0.25);
  EXPECT_EQ(report_of(R"("step":73,"loss":2)")->progress.loss, 2);
  for (const char* none : {"null", "\"0.25\"", "true"}) {
    EXPECT_EQ(report_of(R"("step":73,"loss":)" + std::string(none))->progress.loss, std::nullopt) << none;
  }
  EXPECT_EQ(report_of(R"("step":73,"loss":1e999)").value_or(CoordinatorReport{}).progress.loss, std::nullopt);
}

TEST(ProgressReader, TakesNothingFromWhatIsNoReport) {
  EXPECT_EQ(parse_report("[]", source), std::nullopt);
  EXPECT_EQ(parse_report("{\"step\":", source), std::nullopt);
}

TEST(ProgressReader, TakesNothingFromAnotherProcessThatHasTheAddressByNow) {
  const std::string json = report_with("\"step\":73");
  EXPECT_NE(parse_report(json, source), std::nullopt);
  EXPECT_EQ(parse_report(json, {"another", {2, 3}, ""}), std::nullopt);
  EXPECT_EQ(parse_report(json, {"1b4e28ba", {2, 4}, ""}), std::nullopt);
  EXPECT_EQ(parse_report(json, {"1b4e28ba", {1, 3}, ""}), std::nullopt);
  EXPECT_EQ(parse_report("{\"step\":73}", source), std::nullopt);
}

// Answers whoever asks with these bytes, `apart` from each other in pieces, then says no more.
class Coordinator {
 public:
  Coordinator(std::string bytes, std::size_t piece, std::chrono::milliseconds apart)
      : thread_([this, bytes = std::move(bytes), piece, apart] {
          const auto socket = listener_.accept();
          if (!socket) return;
          tests::Connection connection(*socket, sockets_);
          connection.read_head();
          for (std::size_t at = 0; at < bytes.size() && !over_; at += piece) {
            if (!connection.write(bytes.substr(at, piece))) return;
            std::this_thread::sleep_for(apart);
          }
        }) {}
  ~Coordinator() {
    over_ = true;
    sockets_.shut();
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(listener_.port()); }

 private:
  std::atomic<bool> over_ = false;
  tests::OpenSockets sockets_;
  tests::Listener listener_{{"127.0.0.1", 0}, sockets_};
  std::jthread thread_;
};

constexpr auto at_once = std::chrono::milliseconds(0);
const std::string good = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + report_with("\"step\":73");

TEST(ProgressReader, AsksTheCoordinatorAtAnAddress) {
  const Coordinator coordinator(good, 7, at_once);
  EXPECT_EQ(progress_at(coordinator.address())->progress.step, 73);
}

TEST(ProgressReader, HasNoneOfACoordinatorThatSaysItHasNone) {
  const Coordinator coordinator("HTTP/1.1 503 Busy\r\n\r\n" + report_with("\"step\":73"), 100, at_once);
  EXPECT_EQ(progress_at(coordinator.address()), std::nullopt);
}

TEST(ProgressReader, HasNoneWhereNobodyListensOrNothingIsAnAddress) {
  std::string address;
  {
    const Coordinator coordinator("", 1, at_once);
    address = coordinator.address();
  }
  EXPECT_EQ(progress_at(address), std::nullopt);
  for (const char* none : {"", "127.0.0.1", "127.0.0.1:", "nobody:80", "[::1:80"}) {
    EXPECT_EQ(progress_at(none), std::nullopt) << none;
  }
}

TEST(ProgressReader, TakesNoMoreThan64KiB) {
  const Coordinator coordinator(good + std::string(70'000, ' '), 70'000, at_once);
  EXPECT_EQ(progress_at(coordinator.address()), std::nullopt);
}

// Each byte is in time; all of them would take 19 s.
TEST(ProgressReader, GivesUpAfterTwoSecondsInAll) {
  const Coordinator coordinator(good, 1, std::chrono::milliseconds(300));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(progress_at(coordinator.address()), std::nullopt);
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took, std::chrono::milliseconds(1'900));
  EXPECT_LT(took, std::chrono::seconds(8));
}

TEST(ProgressReader, ReadsWhatTheLastCheckpointLeftOut) {
  const auto checkpoint = [](const std::string& fields) {
    return report_of(R"("checkpoint":{"step":73,"manifest":"m",)" + fields + "}")->last_checkpoint;
  };
  EXPECT_EQ(checkpoint(R"("skipped":3,"first_skipped":"x: record 7")"), (LastCheckpoint{73, "m", 3, "x: record 7"}));
  EXPECT_EQ(checkpoint(R"("skipped":-3,"first_skipped":"x")"), (LastCheckpoint{73, "m"}));
  EXPECT_EQ(checkpoint(R"("skipped":3,"first_skipped":7)"), (LastCheckpoint{73, "m", 3, ""}));
  EXPECT_EQ(checkpoint(R"("skipped":1,"first_skipped":"\u001b[2J")")->first_skipped, "\\x1b[2J");
  EXPECT_LE(checkpoint(R"("skipped":1,"first_skipped":")" + std::string(5'000, 'x') + "\"")->first_skipped.size(),
            1'024u);
}

TEST(ProgressReader, ReadsWhichMembersHang) {
  const auto hung = [](const std::string& list) { return report_of(R"("step":73,"hung":)" + list)->hung; };
  EXPECT_EQ(hung(R"([{"role":"worker","index":1,"incarnation":2,"why":"no \u001b[2J"},{"role":"ps","index":0}])"),
            (std::vector<ReportedHung>{{{train::Role::worker, 1}, 2, "no \\x1b[2J"}, {{train::Role::ps, 0}, 0, ""}}));
  for (const char* none : {"[]", "{}", "7", "[7]", R"([{"role":"coordinator"}])", R"([{"role":7}])", R"([{"index":1}])",
                           R"([{"role":"worker","index":1000}])", R"([{"role":"worker","index":99999999999999}])"}) {
    EXPECT_EQ(hung(none), std::vector<ReportedHung>()) << none;
  }
  const ReportedHung large =
      hung(R"([{"role":"worker","index":-1,"incarnation":99999999999999,"why":")" + std::string(1'000, 'x') + R"("}])")
          .at(0);
  EXPECT_EQ(large.member.index, 0);
  EXPECT_EQ(large.incarnation, 1'000'000'000);
  EXPECT_LE(large.why.size(), 256U);
  std::string many = R"({"role":"ps"})";
  for (int i = 0; i < 100; ++i) many += R"(,{"role":"ps"})";
  EXPECT_EQ(hung("[" + many + "]").size(), 16U);
}

TEST(ProgressReader, TakesNoNameThatIsLongerThanThatOfAFile) {
  const auto named = [](std::size_t bytes) {
    return report_of(R"("checkpoint":{"step":73,"manifest":")" + std::string(bytes, 'x') + R"("})")->last_checkpoint;
  };
  EXPECT_TRUE(named(256));
  EXPECT_FALSE(named(257));
}

}  // namespace
}  // namespace carrack::control
