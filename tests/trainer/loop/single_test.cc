#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <limits>
#include <thread>

#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/connections.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/error.h"
#include "trainer/launch/job_token.h"
#include "trainer/loop/data/input.h"
#include "trainer/loop/data/job_files.h"
#include "trainer/loop/roles/role.h"

namespace carrack::train {
namespace {

// A hundred records of y = x, ten batches; the last one may lack its y, and number 57 may be another.
void write_records(const std::string& path, bool last_is_whole, float number_57 = 0.57F) {
  data::Bytes file;
  for (int i = 0; i < 100; ++i) {
    const float number = i == 57 ? number_57 : static_cast<float>(i) / 100;
    std::vector<data::NamedValues> values{{"x", std::span<const float>(&number, 1)}};
    if (i < 99 || last_is_whole) values.push_back({"y", std::span<const float>(&number, 1)});
    data::frame::append(file, data::example_of(values));
  }
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
}

// Nothing while nobody answers.
std::string progress_at(const std::string& address) {
  const auto reply = httplib::Client("http://" + address).Get("/progress");
  return reply ? reply->body : "";
}

class Single : public testing::Test {
 protected:
  Single() {
    write_records(temporary.path() + "/line.tfrecord", true);
    launch.config.strategy = Strategy::single;
    launch.config.ps = {0, 0};
    launch.config.data.files = {temporary.path() + "/line.tfrecord"};
    launch.config.data.features[0].size = 1;
    launch.config.training.batch = 10;
  }

  RoleContext context(std::function<void(const std::string&)> report_end = [](const std::string&) {}) {
    return {.storages = storages,
            .key = nullptr,
            .nonce = std::to_string(getpid()),
            .shutdown_requested = [this] { return leave.load(); },
            .report_end = std::move(report_end),
            .memory = memory};
  }
  Exit run(std::function<void(const std::string&)> report_end = [](const std::string&) {}) {
    return train::run(launch, context(std::move(report_end)));
  }

  FoundData found() const {
    Launch with_server = launch;
    with_server.config.ps = {1, 1};
    const RoleContext context = some_surroundings(storages);
    return Input(indexed_files(job_files(with_server, context), with_server, context), with_server,
                 setup_from(with_server.config), context)
        .found();
  }

  std::string refusal() {
    try {
      run();
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  // What the next start would go on from.
  Commit committed() {
    launch.config.strategy = Strategy::parameter_server;
    launch.config.ps = {1, 1};
    ++launch.fence.incarnation;
    return claimed(launch, storages, found());
  }

  const data::TemporaryFolder temporary;
  const data::Storages storages{data::StorageSettings{}};
  std::atomic<bool> leave = false;
  std::uint64_t memory = std::uint64_t{1} << 30;
  Launch launch = some_launch("single", temporary.path() + "/checkpoints");
};

TEST_F(Single, TrainsAndCommitsInOneProcess) {
  EXPECT_EQ(run(), Exit::succeeded);
  EXPECT_EQ(committed().version, 20 * batches_in_epoch);
}

TEST_F(Single, StopsWaitingForAnotherJobOnRequest) {
  Launch other = launch;
  other.job_uid = "other";
  other.config.strategy = Strategy::parameter_server;
  other.config.ps = {1, 1};
  leave_checkpoint(other, storages, 25);
  launch.config.checkpoint.on_taken = OnTaken::go_on;
  leave = true;
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(run(), Exit::drained);
  EXPECT_LT(std::chrono::steady_clock::now() - began, TakeOverWait{}.answer_within);
}

TEST_F(Single, EndsAsTheFirstOfItsRolesThatFails) {
  write_records(temporary.path() + "/line.tfrecord", false);
  const std::string text = refusal();
  EXPECT_NE(text.find("line.tfrecord: record 99 at"), std::string::npos) << text;
}

TEST_F(Single, IsRefusedWhereItsDataHasChangedSinceItsLastCommit) {
  launch.config.data.files = {temporary.path() + "/*.tfrecord"};
  EXPECT_EQ(run(), Exit::succeeded);
  const std::string before = describe_order(found().order.text);
  write_records(temporary.path() + "/more.tfrecord", true);
  ++launch.fence.incarnation;
  EXPECT_EQ(refusal(), "spec.data.train: the data has changed since step 200: it was " + before + "; it is " +
                           describe_order(found().order.text) +
                           "; give the job back what it began with, or begin another job");
}

TEST_F(Single, FailsWhereItDivergesAndCommitsNothingThatIsNotFinite) {
  launch.config.training.optimizer = Sgd{100};
  launch.config.checkpoint.every_steps = 1;
  const std::string text = refusal();
  EXPECT_TRUE(text.ends_with(
      "so training has diverged; scale features and target to values near 1, or set a smaller "
      "spec.training.optimizer.learningRate; `carrack data stats` shows their ranges, and what is not finite"))
      << text;
  const Commit commit = committed();
  const Loaded all = loaded(launch, storages, commit);
  EXPECT_TRUE(std::ranges::all_of(all.tensors.parameters, [](float one) { return std::isfinite(one); }));
}

TEST_F(Single, WritesItsHistoryIfAnyOfItsRolesFails) {
  launch.config.data.stages.clear();  // number 57 is in the sixth batch
  write_records(temporary.path() + "/line.tfrecord", true, std::numeric_limits<float>::quiet_NaN());
  const std::string text = refusal();
  EXPECT_NE(text.find("line.tfrecord: record 57 at"), std::string::npos) << text;
  std::ifstream history(launch.config.checkpoint.folder + "/metrics.jsonl");
  std::string line;
  EXPECT_TRUE(std::getline(history, line));
  EXPECT_TRUE(line.starts_with("{\"step\":")) << line;
}

void expect_feature_refused(const std::string& refusal) {
  EXPECT_THAT(refusal, testing::MatchesRegex("spec.data: .*/line.tfrecord: record 57 at byte [0-9]+: feature \"x\" is "
                                             "not finite, and so is the loss of step [0-9]+; mend the record, or leave "
                                             "out such records by the stage filter"));
}

TEST_F(Single, NamesTheRecordWhoseFeatureIsNotFinite) {
  write_records(temporary.path() + "/line.tfrecord", true, std::numeric_limits<float>::quiet_NaN());
  expect_feature_refused(refusal());
}

TEST_F(Single, NamesTheColumnWhoseValueIsNotFinite) {
  data::Bytes file;
  for (int i = 0; i < 100; ++i) {
    const float lot = static_cast<float>(i) / 100;
    const float x[] = {lot, i == 57 ? std::numeric_limits<float>::infinity() : lot};
    const data::NamedValues values[] = {{"x", std::span<const float>(x)}, {"y", std::span<const float>(&lot, 1)}};
    data::frame::append(file, data::example_of(values));
  }
  const std::string name = temporary.path() + "/line.tfrecord";
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  launch.config.data.features[0].size = 2;
  const std::string begin =
      "spec.data: .*/line.tfrecord: record 57 at byte [0-9]+: feature \"x\" is not finite in column 1";
  EXPECT_THAT(refusal(), testing::MatchesRegex(begin + ", and so is the loss of step .*"));
  for (const auto& [names, expected] : {std::pair{R"({"x": ["lot", "age"]})", " \\(age\\), .*"},
                                        std::pair{R"({"x": ["lot"]})", ", .*"}, std::pair{"no names", ", .*"}}) {
    std::ofstream(name + ".columns") << names;
    ++launch.fence.incarnation;
    EXPECT_THAT(refusal(), testing::MatchesRegex(begin + expected));
  }
}

TEST_F(Single, NamesThisRecordAmongLanes) {
  write_records(temporary.path() + "/line.tfrecord", true, -std::numeric_limits<float>::infinity());
  launch.config.training.deterministic = true;
  expect_feature_refused(refusal());
}

TEST_F(Single, NamesTheRecordWhoseLossIsNotFinite) {
  write_records(temporary.path() + "/line.tfrecord", true, 3e38F);
  EXPECT_THAT(refusal(), testing::MatchesRegex(
                             "spec.training: the loss of step [0-9]+ is not finite for .*/line.tfrecord: record 57 at "
                             "byte [0-9]+, so training has diverged; .*"));
}

TEST_F(Single, NamesTheRecordWhoseLabelIsOutOfRange) {
  write_records(temporary.path() + "/line.tfrecord", true, 2);
  Layer dense;
  dense.inputs = {"x"};
  launch.config.model = Layers{{dense}, {LossKind::sigmoid_cross_entropy, "y"}};
  for (const bool deterministic : {false, true}) {
    launch.config.training.deterministic = deterministic;
    EXPECT_THAT(refusal(), testing::MatchesRegex(".*/line.tfrecord: record 57 at byte [0-9]+: spec.model: a record has "
                                                 "2 in `y`, but labels are from 0 to 1"));
    ++launch.fence.incarnation;
  }
}

TEST_F(Single, UpdatesParametersAsItsManifestSays) {
  launch.config.training.optimizer = Sgd{.learning_rate = 1, .momentum = 0.5};
  launch.config.training.clip = Clip{.value = 1e-4};
  launch.config.training.schedule = {.kind = ScheduleKind::linear, .steps = 100};
  launch.config.training.groups = {{.tensors = {"b"}, .frozen = true}};
  EXPECT_EQ(run(), Exit::succeeded);
  const Commit last = committed();
  const Tensors before = loaded(launch, storages, {}).tensors, after = loaded(launch, storages, last).tensors;
  EXPECT_EQ(after.parameters[1], before.parameters[1]) << "b is frozen";
  EXPECT_NE(after.parameters[0], before.parameters[0]);
  // The rates of 100 steps add up to 50.5, and momentum doubles them.
  EXPECT_NEAR(after.parameters[0], before.parameters[0], 50.5 * 2 * 1e-4 * 1.001);
}

TEST_F(Single, StepsByTheNormThatItsManifestAllows) {
  for (const Consistency consistency : {Consistency::sync, Consistency::async}) {
    const std::string name = std::string(spelled(consistency));
    launch = some_launch("single-" + name, temporary.path() + "/" + name);
    launch.config.strategy = Strategy::single;
    launch.config.ps = {0, 0};
    launch.config.data.files = {temporary.path() + "/line.tfrecord"};
    launch.config.data.features[0].size = 1;
    launch.config.training.batch = 10;
    launch.config.training.consistency = consistency;
    launch.config.training.optimizer = Sgd{1};
    launch.config.training.clip = Clip{.norm = 1e-5};
    EXPECT_EQ(run(), Exit::succeeded);
    const Commit last = committed();
    EXPECT_EQ(last.version, 20 * batches_in_epoch);
    const Tensors before = loaded(launch, storages, {}).tensors, after = loaded(launch, storages, last).tensors;
    const double moved =
        std::hypot(after.parameters[0] - before.parameters[0], after.parameters[1] - before.parameters[1]);
    EXPECT_NEAR(moved, static_cast<double>(last.version) * 1e-5, 1e-4) << name;
  }
}

TEST_F(Single, IsRefusedWhereItsStepsCannotBeCounted) {
  launch.config.training.epochs = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refusal(),
            "spec.training.epochs: is 9223372036854775807; with 10 batches in spec.data.train at most "
            "922337203685477580 can be counted");
}

TEST_F(Single, TrainsOnAllRecordsAtOnceWhereNoBatchIsAsLarge) {
  launch.config.training.batch = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(run(), Exit::succeeded);
  EXPECT_EQ(committed().version, 20U);
}

TEST_F(Single, IsRefusedWhereItDoesNotFit) {
  memory = 100;
  EXPECT_EQ(refusal(),
            "spec.training.batch: the process of a Single job takes at least 144 bytes of memory, and has 100; give it "
            "more, or use a smaller batch");
}

TEST_F(Single, IsSupersededByALaterStart) {
  launch.config.ps = {1, 1};
  launch.fence.incarnation = 2;
  claimed(launch, storages, found());
  launch.config.ps = {0, 0};
  launch.fence.incarnation = 1;
  EXPECT_EQ(run(), Exit::superseded);
}

TEST_F(Single, CommitsAndReportsWhatItDidWhenItIsAskedToLeave) {
  launch.config.training.epochs = 1'000'000;
  launch.config.checkpoint.every_steps = 1'000'000;
  launch.addresses.progress = "127.0.0.1:" + std::to_string(free_port());
  std::jthread follows([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::string progress = progress_at(launch.addresses.progress);
      if (progress.find("\"step\":") != progress.npos && progress.find(",\"step\":0,") == progress.npos) leave = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  std::vector<std::string> reports;
  EXPECT_EQ(run([&](const std::string& report) { reports.push_back(report); }), Exit::drained);
  const Commit commit = committed();
  EXPECT_GT(commit.version, 0U);
  const std::string step = std::to_string(commit.version);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_TRUE(reports[0].starts_with("{\"job\":\"" + job_token(launch.job_uid) +
                                     "\",\"attempt\":0,\"incarnation\":1,\"step\":" + step + ","))
      << reports[0];
  EXPECT_NE(reports[0].find("\"checkpoint\":{\"step\":" + step + ","), std::string::npos) << reports[0];
}

TEST_F(Single, EndsWheneverItIsAskedToLeave) {
  launch.config.training.epochs = 1'000'000;
  for (const int delay_ms : {0, 1, 3, 10, 30}) {
    leave = false;
    const std::jthread asks([this, delay_ms] {
      std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
      leave = true;
    });
    EXPECT_EQ(run(), Exit::drained) << delay_ms << " ms";
    ++launch.fence.incarnation;
  }
}

// A callback of the process hangs until the watchdog reports that. The watchdog counts 3 ms as a second, so its limit
// of 90 minutes lasts 16 s. The thread that handles messages must go on within 0.9 s, also on a busy machine.
class SingleThatHangs : public Single {
 protected:
  SingleThatHangs() {
    watched.watchdog_second = std::chrono::milliseconds(3);
    watched.report_hang = [this](const std::string& text) { report_.set_value(text); };
  }

  // Returns after two minutes in any case. Any thread may call it.
  void hang() const { std::shared_future<std::string>(reported_).wait_for(std::chrono::minutes(2)); }
  std::string report() const {
    const bool is_reported = reported_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    return is_reported ? reported_.get() : "none";
  }

  RoleContext watched = context();

 private:
  std::promise<std::string> report_;
  const std::shared_future<std::string> reported_ = report_.get_future().share();
};

TEST_F(SingleThatHangs, ReportsThatItsStartHangs) {
  watched.log = [this](const std::string& line) {
    if (line.starts_with("indexing ")) hang();
  };
  EXPECT_EQ(train::run(launch, watched), Exit::succeeded);
  EXPECT_EQ(report(), "the start of this process has not ended within 5400 s; check that the storage answers");
}

TEST_F(SingleThatHangs, ReportsThatItsEndHangs) {
  leave = true;
  watched.report_end = [this](const std::string&) { hang(); };
  EXPECT_EQ(train::run(launch, watched), Exit::drained);
  EXPECT_EQ(report(), "the end of this process has not ended within 5400 s; check that the storage answers");
}

TEST_F(SingleThatHangs, ReportsThatItsReadHangs) {
  write_records(temporary.path() + "/line.tfrecord", false);
  launch.config.data.on_damage = OnDamage::skip;
  launch.config.training.batch = 100;
  watched.log = [this](const std::string& line) {
    if (line.starts_with("left out: ")) hang();
  };
  EXPECT_EQ(train::run(launch, watched), Exit::succeeded);
  EXPECT_EQ(report(), "reading batch 0 has not ended within 5400 s; check that the storage answers");
}

}  // namespace
}  // namespace carrack::train
