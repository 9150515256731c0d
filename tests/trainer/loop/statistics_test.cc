// What a job standardizes by: of which records it is computed, and that every start and every server has the same.
#include "trainer/loop/data/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <limits>

#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "tests/trainer/models/networks.h"
#include "trainer/error.h"
#include "trainer/loop/roles/role.h"
#include "trainer/loop/setup/values_of_data.h"

namespace carrack::train {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class StatisticsOfAJob : public testing::Test {
 protected:
  StatisticsOfAJob() {
    launch.config.model = Layers{{of_kind("Standardize", {"x"}), dense(2), dense(2)}, {LossKind::mse, "standardize"}};
    launch.config.data.features = {{"number", FeatureType::int64, 1},
                                   {"x", FeatureType::float32, 4, {}, std::vector<std::int64_t>{2, 2}}};
    launch.config.data.files = {temporary.path() + "/*.tfrecord"};
    launch.config.training.batch = 10;
    write("a.tfrecord", 0, 30);
    write("b.tfrecord", 30, 12);
  }

  // Two steps with the number of the record and its negative; at number 5 `at_5` stands in the second step.
  void write(const std::string& name, std::int64_t first, std::int64_t count, float at_5 = 5) const {
    data::Bytes file;
    for (std::int64_t number = first; number < first + count; ++number) {
      const auto one = static_cast<float>(number);
      const float x[] = {one, -one, number == 5 ? at_5 : one, -one};
      const data::NamedValues values[] = {{"number", std::span<const std::int64_t>(&number, 1)},
                                          {"x", std::span<const float>(x)}};
      data::frame::append(file, data::example_of(values));
    }
    std::ofstream(temporary.path() + "/" + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  }

  checkpoint::Statistics found() { return statistics_of(launch, setup_from(launch.config), context); }

  // Expects the statistics of `count` numbers from `begin` on, in records that have the same number at each time step.
  void expect_numbers(double begin, double count) {
    const checkpoint::Statistics statistics = found();
    ASSERT_EQ(statistics.layers.size(), 1u);
    const checkpoint::LayerStatistics& layer = statistics.layers[0];
    EXPECT_EQ(layer.layer, "standardize");
    EXPECT_EQ(layer.feature, "x");
    ASSERT_EQ(layer.columns.size(), 2u);
    EXPECT_FLOAT_EQ(layer.columns[0].mean, static_cast<float>(begin + (count - 1) / 2));
    EXPECT_FLOAT_EQ(layer.columns[1].mean, -layer.columns[0].mean);
    const auto deviation = static_cast<float>(std::sqrt((count * count - 1) / 12));
    EXPECT_FLOAT_EQ(layer.columns[0].deviation, deviation);
    EXPECT_FLOAT_EQ(layer.columns[1].deviation, deviation);
  }

  std::string refusal(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  // As the coordinator that has claimed HEAD.
  std::optional<Exit> provide(const Order& order = some_data.order) {
    const train::Setup setup = setup_from(launch.config);
    FoundData data = some_data;
    data.order = order;
    CommitStore store(launch, setup, storages, "nonce" + std::to_string(++launch.fence.incarnation));
    if (const auto ended = store.claim(data)) return ended;
    return provide_statistics(launch, setup, context, order, store,
                              [this](const RecordsRead& read) { shown.push_back(read); });
  }

  std::optional<checkpoint::Statistics> in_folder() { return folder.statistics(); }

  const data::TemporaryFolder temporary;
  const data::Storages storages{data::StorageSettings{}};
  const RoleContext context = some_surroundings(storages);
  Launch launch = some_launch("standardizes", temporary.path() + "/checkpoints");
  checkpoint::CheckpointFolder folder{storages.for_url(launch.config.checkpoint.folder),
                                      launch.config.checkpoint.folder};
  std::vector<RecordsRead> shown;
};

TEST_F(StatisticsOfAJob, AreOfAllRecordsAndTimeSteps) {
  expect_numbers(0, 42);
}

TEST_F(StatisticsOfAJob, AreOfTheRecordsThatTheStagesLeave) {
  launch.config.data.stages = {Skip{10}, Take{25}, Shuffle{}};
  expect_numbers(10, 25);
  launch.config.data.stages = {Filter{.feature = "number", .min = 20, .max = 39},
                               Snapshot{temporary.path() + "/snapshot"}, Shuffle{}};
  expect_numbers(20, 20);
}

TEST_F(StatisticsOfAJob, AreOfTheRecordsThatCanBeUsed) {
  const auto flip_bit_of = [&](const std::string& name, std::streamoff from_end) {
    std::fstream file(temporary.path() + "/" + name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(-from_end, std::ios::end);
    const int byte = file.get();
    file.seekp(-from_end, std::ios::end);
    file.put(static_cast<char>(byte ^ 1));
  };
  write("b.tfrecord", 30, 1);
  flip_bit_of("b.tfrecord", 8);
  EXPECT_NE(refusal([&] { found(); }).find("b.tfrecord: record 0 at byte 0: the data does not match its checksum"),
            std::string::npos);
  launch.config.data.on_damage = OnDamage::skip;
  expect_numbers(0, 30);
  std::filesystem::remove(temporary.path() + "/a.tfrecord");
  EXPECT_EQ(refusal([&] { found(); }), "spec.data: no record can be used, so there is no mean to standardize by");
}

TEST_F(StatisticsOfAJob, AreOfTheRecordsThatATakeHasOfAShuffle) {
  launch.config.data.stages = {Take{10}};
  const checkpoint::Statistics of_first = found();
  launch.config.data.stages = {Shuffle{.kind = ShuffleKind::full}, Take{10}};
  EXPECT_NE(found().layers, of_first.layers);
  EXPECT_EQ(found(), found());
}

TEST_F(StatisticsOfAJob, LeaveOutCachesAndARepeatAtTheEnd) {
  launch.config.data.stages = {Shuffle{}, Cache{"1Ki"}, Repeat{1'000'000}};
  const auto least = [this] {
    std::uint64_t total = 0;
    statistics_of(launch, setup_from(launch.config), context,
                  [&](const RecordsRead& read) { total = read.records_total; });
    return total;
  };
  EXPECT_EQ(least(), 42u);
  expect_numbers(0, 42);
  launch.config.data.stages = {Repeat{3}, Take{100}};
  EXPECT_EQ(least(), 100u);
}

TEST_F(StatisticsOfAJob, AreOfTheSetsOfAMix) {
  launch.config.data.files.clear();
  launch.config.data.stages.clear();
  launch.config.data.mix = {{{temporary.path() + "/a.tfrecord"}, {Skip{10}, Take{1}}, 1},
                            {{temporary.path() + "/b.tfrecord"}, {Take{1}}, 1}};
  const auto columns = found().layers.at(0).columns;
  EXPECT_GE(columns[0].mean, 10);
  EXPECT_LE(columns[0].mean, 30);
}

TEST_F(StatisticsOfAJob, HaveTheSameBitsWithAnyNumberOfCpusAndAnyShuffle) {
  const checkpoint::Statistics first = found();
  for (const unsigned cpus : {2u, 7u}) {
    RoleContext more = context;
    more.cpus = cpus;
    more.memory = std::uint64_t{1} << (20 + cpus);
    launch.config.data.stages = {Shuffle{.kind = ShuffleKind::full}};
    launch.config.training.batch = cpus;
    EXPECT_EQ(statistics_of(launch, setup_from(launch.config), more), first);
  }
}

TEST_F(StatisticsOfAJob, DoNotHangWhileRecordsAreRead) {
  write("a.tfrecord", 0, 10'000);
  std::atomic<int> went_on = 0;
  std::vector<int> seen;
  RoleContext counted = context;
  counted.goes_on = [&] { ++went_on; };
  statistics_of(launch, setup_from(launch.config), counted,
                [&](const RecordsRead&) { seen.push_back(went_on.load()); });
  ASSERT_EQ(seen.size(), 3U) << "batches of 4,096 records";
  EXPECT_LT(seen[0], seen[1]);
  EXPECT_LT(seen[1], seen[2]);
}

TEST_F(StatisticsOfAJob, OfOneFeatureAreThoseOfAllLayersThatReadIt) {
  launch.config.model = Layers{{of_kind("Standardize", {"x"}, "wanted"), of_kind("Standardize", {"x"}), dense(2)},
                               {LossKind::mae, "wanted"}};
  const checkpoint::Statistics statistics = found();
  ASSERT_EQ(statistics.layers.size(), 2u);
  EXPECT_EQ(statistics.layers[0].layer, "wanted");
  EXPECT_EQ(statistics.layers[0].columns, statistics.layers[1].columns);
}

TEST_F(StatisticsOfAJob, NameTheRecordWithAValueThatIsNotFinite) {
  write("a.tfrecord", 0, 30, nan);
  EXPECT_THAT(
      refusal([&] { found(); }),
      testing::MatchesRegex("spec.data: .*/a.tfrecord: record 5 at byte [0-9]+: feature \"x\" is NaN in column "
                            "0, so it has no mean to standardize by; mend the record, or leave out such records "
                            "by the stage filter; `carrack data stats` counts them"));
  write("a.tfrecord", 0, 30, -std::numeric_limits<float>::infinity());
  EXPECT_THAT(refusal([&] { found(); }), testing::HasSubstr(": record 5 at byte "));
  EXPECT_THAT(refusal([&] { found(); }), testing::HasSubstr("feature \"x\" is infinite in column 0, "));
}

TEST_F(StatisticsOfAJob, AreWrittenOnceBeforeAnythingIsCommitted) {
  EXPECT_EQ(provide(), std::nullopt);
  ASSERT_FALSE(shown.empty());
  EXPECT_EQ(shown.front(), (RecordsRead{0, 42}));
  const auto first = in_folder();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->order, order_of_statistics(some_data.order.text, setup_from(launch.config).model, 3));
  shown.clear();
  write("a.tfrecord", 0, 30, 77);  // with the order that the test says, these are the same records
  EXPECT_EQ(provide(), std::nullopt);
  EXPECT_TRUE(shown.empty()) << "nothing is read again";
  EXPECT_EQ(in_folder(), first);
}

TEST_F(StatisticsOfAJob, AreWrittenAnewWhereDataOrModelHasChangedBeforeAnyCommit) {
  EXPECT_EQ(provide(), std::nullopt);
  const auto first = in_folder();
  write("a.tfrecord", 0, 30, 77);
  EXPECT_EQ(provide({"carrack-order v2 files=3", "other data"}), std::nullopt);
  const auto second = in_folder();
  EXPECT_NE(second->layers, first->layers);
  std::get<Layers>(launch.config.model).layers[0].name = "renamed";
  std::get<Layers>(launch.config.model).loss.target = "renamed";
  EXPECT_EQ(provide({"carrack-order v2 files=3", "other data"}), std::nullopt);
  EXPECT_EQ(in_folder()->layers[0].layer, "renamed");
  EXPECT_EQ(in_folder()->layers[0].columns, second->layers[0].columns);
}

TEST_F(StatisticsOfAJob, AreWrittenAnewWhereTheSeedHasChangedBeforeAnyCommit) {
  launch.config.data.stages = {Shuffle{.kind = ShuffleKind::full}, Take{10}};
  EXPECT_EQ(provide(), std::nullopt);
  const auto first = in_folder();
  ++launch.config.training.seed;
  EXPECT_EQ(provide(), std::nullopt);
  EXPECT_NE(in_folder()->layers, first->layers) << "the shuffle selects other records";
  EXPECT_NO_THROW(loaded(launch, storages, {}));
}

TEST_F(StatisticsOfAJob, AreOfTheSettingsOfTheirFeatures) {
  ModelGraph model = setup_from(launch.config).model;
  const std::string before = order_of_statistics("order", model, 3);
  EXPECT_TRUE(before.starts_with("order seed=3 features=")) << before;
  model.features.push_back({"other", FeatureType::float32, 1});
  EXPECT_EQ(order_of_statistics("order", model, 3), before) << "no layer standardizes it";
  Feature& x = *std::ranges::find(model.features, std::string("x"), &Feature::name);
  x.image = Image{.height = 1, .width = 2, .channels = 1};
  const std::string of_image = order_of_statistics("order", model, 3);
  EXPECT_NE(of_image, before);
  x.image->white = 1;
  EXPECT_NE(order_of_statistics("order", model, 3), of_image);
}

TEST_F(StatisticsOfAJob, AreNotNeededOnceAnythingIsCommitted) {
  leave_checkpoint(launch, storages, 5);
  EXPECT_EQ(provide(), std::nullopt);
  EXPECT_EQ(in_folder(), std::nullopt);
}

TEST_F(StatisticsOfAJob, AreNotWrittenByAStartThatIsSuperseded) {
  const train::Setup setup = setup_from(launch.config);
  CommitStore store(launch, setup, storages, "first");
  ASSERT_EQ(store.claim(some_data), std::nullopt);
  const auto be_superseded = [&](const RecordsRead&) {
    Launch later = launch;
    later.fence.incarnation = 9;
    claimed(later, storages);
  };
  EXPECT_EQ(provide_statistics(launch, setup, context, some_data.order, store, be_superseded), Exit::superseded);
  EXPECT_EQ(in_folder(), std::nullopt);
}

TEST_F(StatisticsOfAJob, AreComputedByACoordinatorThatAnswersAnotherJob) {
  const train::Setup setup = setup_from(launch.config);
  CommitStore store(launch, setup, storages, "nonce");
  ASSERT_EQ(store.claim(some_data), std::nullopt);
  const checkpoint::Head before = folder.head().value();
  folder.request_answer("another", "request");
  std::string nonce;
  const auto look = [&](const RecordsRead&) { nonce = folder.head().value().nonce; };
  EXPECT_EQ(provide_statistics(launch, setup, context, some_data.order, store, look), std::nullopt);
  EXPECT_NE(nonce, "");
  EXPECT_NE(nonce, before.nonce) << "a change of HEAD is the answer";
}

TEST_F(StatisticsOfAJob, AreGivenUpOnRequest) {
  const train::Setup setup = setup_from(launch.config);
  CommitStore store(launch, setup, storages, "nonce");
  ASSERT_EQ(store.claim(some_data), std::nullopt);
  RoleContext leaving = context;
  leaving.shutdown_requested = [] { return true; };
  const auto ignore = [](const RecordsRead&) {};
  EXPECT_EQ(provide_statistics(launch, setup, leaving, some_data.order, store, ignore), Exit::drained);
  EXPECT_EQ(in_folder(), std::nullopt);
}

TEST_F(StatisticsOfAJob, AreRefusedWhereTheyAreDamaged) {
  EXPECT_EQ(provide(), std::nullopt);
  std::ofstream(launch.config.checkpoint.folder + "/STATISTICS", std::ios::app) << "more";
  EXPECT_THAT(refusal([&] { provide(); }),
              testing::EndsWith("/STATISTICS: carrack statistics: does not end with the checksum of its content; it is "
                                "cut off or damaged; it is not what Carrack wrote; restore it, or use another folder"));
}

// The tensors of all servers in turn.
TEST_F(StatisticsOfAJob, AreWhatServersBeginWith) {
  EXPECT_EQ(provide(), std::nullopt);
  const auto columns = in_folder()->layers.at(0).columns;
  const Floats parameters = loaded(launch, storages, {}).tensors.parameters;
  EXPECT_EQ(parameters[0], columns[0].mean);
  EXPECT_EQ(parameters[1], columns[1].mean);
  EXPECT_EQ(parameters[2], columns[0].deviation);
  EXPECT_EQ(parameters[3], columns[1].deviation);
}

TEST_F(StatisticsOfAJob, AreMissedByServersWithAMessage) {
  EXPECT_THAT(refusal([&] { loaded(launch, storages, {}); }),
              testing::EndsWith("/checkpoints: STATISTICS is not there; was it removed? Start the job again"));
  EXPECT_EQ(provide(), std::nullopt);
  std::get<Layers>(launch.config.model).layers[0].name = "renamed";
  std::get<Layers>(launch.config.model).loss.target = "renamed";
  EXPECT_THAT(refusal([&] { loaded(launch, storages, {}); }),
              testing::EndsWith(
                  "/checkpoints: STATISTICS is not of this model's layers; was it replaced? Start the job again"));
}

// The job is trained to its end with each optimizer and setting that could move what is fixed.
TEST_F(StatisticsOfAJob, DoNotChangeWhileTheJobTrains) {
  launch.config.strategy = Strategy::single;
  launch.config.ps = {0, 0};
  launch.config.training.epochs = 3;
  launch.config.training.optimizer = AdamW{.learning_rate = 0.1, .weight_decay = 0.5};
  launch.config.training.clip = Clip{.norm = 1};
  EXPECT_EQ(train::run(launch, context), Exit::succeeded);
  const auto columns = in_folder()->layers.at(0).columns;
  launch.config.strategy = Strategy::parameter_server;
  launch.config.ps = {1, 1};
  ++launch.fence.incarnation;
  const std::optional<checkpoint::Head> head = folder.head();
  ASSERT_TRUE(head && head->committed);
  const checkpoint::Manifest manifest = folder.manifest(*head->committed);
  const Tensors last = loaded(launch, storages, commit_of(*head->committed, manifest, 5)).tensors;
  EXPECT_EQ(last.parameters[0], columns[0].mean);
  EXPECT_EQ(last.parameters[3], columns[1].deviation);
  for (const Floats& state : last.optimizer) EXPECT_EQ(state[0], 0);
  EXPECT_NE(last.optimizer[0][4], 0);
}

}  // namespace
}  // namespace carrack::train
