// The history of a run over starts of its coordinator, with a clock of the test's own.
#include "trainer/loop/roles/run_history.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "dataloader/storage/url.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/history/metrics_file.h"

namespace carrack::train {
namespace {

using Steps = std::vector<std::uint64_t>;

class HistoryOfAJob : public testing::Test {
 protected:
  HistoryOfAJob() {
    context_.unix_seconds = [this] { return now_; };
    context_.log = [this](const std::string& line) { log_ += line + "\n"; };
  }

  // A start of the coordinator, which goes on from the commit of this step. `is_new`: in place of another job.
  std::unique_ptr<RunHistory> start(std::uint64_t step = 0, bool is_new = false) {
    return std::make_unique<RunHistory>(RunHistory::Settings{.folder = temporary_.path(),
                                                             .start = "0-" + std::to_string(++starts_),
                                                             .batch = 10,
                                                             .batches_per_epoch = 100,
                                                             .is_new = is_new,
                                                             .step = step},
                                        context_, inbox_, watchdog_, [this] { return is_ours_; });
  }

  // Each batch has 10 records with this loss.
  void train(RunHistory& history, std::uint64_t step, double loss, double seconds = 1) {
    now_ += seconds;
    losses_.sum += 10 * loss * static_cast<double>(step - step_);
    losses_.records += 10 * (step - step_);
    step_ = step;
    history.add(step, losses_);
  }
  // Starts a second history whose last commit is at step `committed`, while the servers have trained on to step 25.
  void start_again_while_servers_train(std::uint64_t committed) {
    auto history = start();
    train(*history, 10, 1);
    train(*history, 20, 1);
    history->finish(20, losses_);
    history.reset();
    losses_ = {};
    history = start(committed);
    step_ = 25;  // The losses of the steps in between are not known.
    train(*history, 25, 1, 100);
    train(*history, 35, 3, 2);
    history->finish(35, losses_);
    history.reset();
    EXPECT_EQ(steps(), (Steps{10, 20, 35}));
    EXPECT_EQ(std::get<history::TrainingPoint>(recorded().back()).records_per_second, 50) << "of ten steps in 2 s";
  }

  static Evaluation evaluation(std::uint64_t step, double loss, bool is_best) {
    Evaluation one{.step = step, .values = {}, .is_best = is_best};
    one.values.records = 5;
    one.values.loss = loss;
    return one;
  }

  std::vector<history::Point> recorded() const {
    const std::string url = data::in_folder(temporary_.path(), std::string(history::metrics_file_name));
    const auto bytes = data::read_whole(storages_.for_url(url), url, {.bytes_max = 1 << 20, .hint = ""});
    if (!bytes) return {};
    return history::points_in({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  }

  std::vector<std::uint64_t> steps() const {
    std::vector<std::uint64_t> all;
    for (const history::Point& point : recorded()) all.push_back(history::step_of(point));
    return all;
  }

  std::size_t event_files() const {
    const std::filesystem::path folder(temporary_.path() + "/tensorboard");
    if (!std::filesystem::exists(folder)) return 0;
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }

  const data::TemporaryFolder temporary_;
  const data::Storages storages_{data::StorageSettings{}};
  Inbox inbox_;
  Watchdog watchdog_{[](const std::string&) {}};
  RoleContext context_ = some_surroundings(storages_);
  double now_ = 1'000'000;
  bool is_ours_ = true;
  std::string log_;
  int starts_ = 0;
  std::uint64_t step_ = 0;
  LossTotals losses_;
};

TEST_F(HistoryOfAJob, HasTheMeanLossAndTheSpeedBetweenItsPoints) {
  auto history = start();
  train(*history, 1, 4);
  train(*history, 2, 2);
  train(*history, 4, 1);
  history->finish(4, losses_);
  history.reset();
  const std::vector<history::Point> expected{history::TrainingPoint{1, 0, 1'000'001, 4, 10},
                                             history::TrainingPoint{2, 0, 1'000'002, 2, 10},
                                             history::TrainingPoint{4, 0, 1'000'003, 1, 20}};
  EXPECT_EQ(recorded(), expected);
}

TEST_F(HistoryOfAJob, KeepsWhatServersHoldBeyondTheCommit) {
  start_again_while_servers_train(10);
}

TEST_F(HistoryOfAJob, KeepsWhatServersHoldBeforeTheFirstCommit) {
  start_again_while_servers_train(0);
}

TEST_F(HistoryOfAJob, ReplacesThatOfAnotherJobAtOnce) {
  auto history = start();
  history->add(evaluation(10, 1, true));
  history->add(evaluation(20, 2, false));
  history->flush();
  history.reset();
  history = start(0, true);
  history->write_if_due();
  history.reset();  // it ends less than 2 s after its start, and has committed
  history = start(5);
  EXPECT_EQ(history->evaluations_since_best(), 0);
  EXPECT_TRUE(recorded().empty());
}

TEST_F(HistoryOfAJob, WithdrawsStepsThatTrainingGoesBackBefore) {
  auto history = start();
  for (const std::uint64_t step : {10, 20, 30}) train(*history, step, 1);
  history->finish(30, losses_);
  history.reset();
  losses_ = {};
  history = start(10);
  step_ = 10;
  train(*history, 10, 1);
  train(*history, 20, 5);
  history->finish(20, losses_);
  history.reset();
  EXPECT_EQ(steps(), (Steps{10, 20, 30, 20})) << "a reader takes the last ones";
  const auto holds = history::without_replaced(recorded());
  ASSERT_EQ(holds.size(), 2U);
  EXPECT_EQ(std::get<history::TrainingPoint>(holds[1]).loss, 5);
}

TEST_F(HistoryOfAJob, CountsEvaluationsSinceTheBestOverStarts) {
  auto history = start();
  history->add(evaluation(10, 1, true));
  history->add(evaluation(20, 2, false));
  history->add(evaluation(30, std::numeric_limits<double>::quiet_NaN(), false));
  history->add(evaluation(40, 3, false));
  EXPECT_EQ(history->evaluations_since_best(), 2) << "a loss that is not finite does not count";
  history->flush();
  history.reset();
  history = start(40);
  EXPECT_EQ(history->evaluations_since_best(), 2);
  history->add(evaluation(40, 3, false));
  EXPECT_EQ(history->evaluations_since_best(), 2) << "it is evaluated again";
  history->add(evaluation(50, 2, false));
  EXPECT_EQ(history->evaluations_since_best(), 3);
  history->best_is_of(40);
  EXPECT_EQ(history->evaluations_since_best(), 3) << "there was one after it";
  history->best_is_of(60);
  EXPECT_EQ(history->evaluations_since_best(), 0) << "a start wrote BEST and was ended before it could record that";
}

TEST_F(HistoryOfAJob, HasTheBestAndTheLastOfManyEvaluations) {
  auto history = start();
  train(*history, 100'000, 1);
  history->add(evaluation(100'000, 5, true));
  for (std::uint64_t step = 100'001; step <= 100'100; ++step) {
    now_ += 0.001;
    history->add(evaluation(step, step == 100'050 ? 1 : 9, step == 100'050));
  }
  history->flush();
  history.reset();
  EXPECT_EQ(steps(), (Steps{100'000, 100'000, 100'050, 100'100}));
}

TEST_F(HistoryOfAJob, IsWrittenLessOftenTheOlderTheJobIs) {
  auto history = start();
  const auto run_for = [&](int seconds) {
    for (int i = 0; i < seconds; ++i) {
      train(*history, step_ + step_ / 100 + 1, 1);
      history->write_if_due();
      while (!history->is_saved()) {
        const auto event = inbox_.next(std::chrono::steady_clock::now() + std::chrono::seconds(10));
        ASSERT_TRUE(event);
        std::get<Task>(*event).run();
      }
    }
  };
  run_for(40);
  const std::size_t of_40_seconds = event_files();
  EXPECT_NEAR(static_cast<double>(of_40_seconds), 20, 4);
  now_ += 4000;
  run_for(100);
  EXPECT_LE(event_files() - of_40_seconds, 2U);
}

TEST_F(HistoryOfAJob, HasAFileForEachWriteOfASecond) {
  auto history = start();
  for (int i = 0; i < 3; ++i) {
    train(*history, step_ + 1, 1, 0.1);
    history->flush();
  }
  history.reset();
  EXPECT_EQ(event_files(), 3U);
}

TEST_F(HistoryOfAJob, IsNotWrittenByAStartThatIsReplaced) {
  auto history = start();
  train(*history, 1, 1);
  is_ours_ = false;
  history->finish(1, losses_);
  history.reset();
  EXPECT_TRUE(recorded().empty());
  EXPECT_EQ(event_files(), 0U);
}

TEST_F(HistoryOfAJob, LeavesAFileAloneThatItCannotRead) {
  const std::string path = temporary_.path() + "/metrics.jsonl";
  std::ofstream(path) << "{}\n{\"step\":1}\n";
  auto history = start(5);
  EXPECT_NE(log_.find("the history of the job is not recorded: " + path + ": line 1: "), std::string::npos) << log_;
  train(*history, 6, 1);
  history->add(evaluation(6, 1, true));
  history->write_soon();
  history->write_if_due();
  EXPECT_TRUE(history->is_saved());
  history->finish(6, losses_);
  history.reset();
  EXPECT_EQ(std::filesystem::file_size(path), 14U);
  EXPECT_EQ(event_files(), 0U);
}

}  // namespace
}  // namespace carrack::train
