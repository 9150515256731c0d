// Sets of files of which records are drawn by weight: what an epoch has of each, and how mixes are told apart.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/numbered_records.h"
#include "trainer/error.h"
#include "trainer/loop/data/data_start.h"

namespace carrack::train {
namespace {

constexpr std::int64_t second_begins = 1536;

// Two files of 768 records, numbered from 0, and one of 4,000 behind them; batches of 256 in two lanes.
class Mixes : public testing::Test {
 protected:
  Mixes() {
    write_records(first + "0", 0, 768);
    write_records(first + "1", 768, 768);
    write_records(second, second_begins, 4000);
    launch.config.model = Tally{"record", 5536};
    launch.config.ps = {1, 1};
    launch.config.data.features = {{"record", FeatureType::int64, 1}};
    launch.config.data.stages = {};
    launch.config.data.mix = {{{first + "*"}, {}, 3}, {{second}, {}, 1}};
    launch.config.training.batch = 256;
    launch.config.training.lanes = 2;
    launch.config.checkpoint.folder = here.path() + "/checkpoints";
    launch.config.workers.min = 0;  // Nobody is waited for.
  }

  Ids epoch(std::uint64_t number = 0) {
    Input input = input_of(launch, storages);
    return epoch_of(input, number, 2);
  }
  std::vector<MixedSet>& mix() { return launch.config.data.mix; }
  void shuffle(ShuffleKind kind) {
    for (MixedSet& set : mix()) set.stages = {Shuffle{kind, 16, 4}};
  }
  std::string contents() { return input_of(launch, storages).found().order.legacy; }
  std::string order() { return input_of(launch, storages).found().order.text; }

  std::string refusal() {
    try {
      input_of(launch, storages);
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  static Ids of_first(Ids ids) {
    std::erase_if(ids, [](std::int64_t id) { return id >= second_begins; });
    return ids;
  }
  static Ids of_second(Ids ids) {
    std::erase_if(ids, [](std::int64_t id) { return id < second_begins; });
    return ids;
  }

  const data::TemporaryFolder here;
  const std::string first = here.path() + "/first", second = here.path() + "/second";
  const data::Storages storages{data::StorageSettings{}};
  Launch launch = some_launch("job", "");
};

TEST_F(Mixes, HaveOfEverySetItsShareInItsOwnOrderUntilOneHasNoneLeft) {
  const Ids ids = epoch();
  EXPECT_GE(ids.size(), 2048);
  EXPECT_LT(ids.size(), 2048 + 4) << "no more than it takes until the first set is asked again";
  EXPECT_EQ(of_first(ids).size(), 1536);
  EXPECT_TRUE(std::ranges::is_sorted(of_first(ids)));
  EXPECT_TRUE(std::ranges::is_sorted(of_second(ids)));
  for (std::ptrdiff_t begin = 0; begin + 1024 <= std::ssize(ids); begin += 100)
    EXPECT_EQ(of_first(Ids(ids.begin() + begin, ids.begin() + begin + 1024)).size(), 768) << begin;
  EXPECT_EQ(epoch(5), ids);
}

TEST_F(Mixes, DrawOtherRecordsOfALargerSetInEachEpoch) {
  for (const ShuffleKind kind : {ShuffleKind::full, ShuffleKind::block}) {
    shuffle(kind);
    const Ids one = epoch(0), other = epoch(1);
    EXPECT_EQ(epoch(0), one) << "for each reader the same";
    Ids all = of_first(one);
    std::ranges::sort(all);
    EXPECT_TRUE(std::ranges::adjacent_find(all) == all.end());
    EXPECT_EQ(all.size(), 1536);
    EXPECT_NE(of_first(one), of_first(other));
    Ids second_of_one = of_second(one), second_of_other = of_second(other), both;
    std::ranges::sort(second_of_one);
    std::ranges::sort(second_of_other);
    std::ranges::set_intersection(second_of_one, second_of_other, std::back_inserter(both));
    EXPECT_LT(both.size(), 256) << "of 512; 64 are expected";
  }
}

// So that no worker reads what another does, and each lane has the shares of all.
TEST_F(Mixes, OfBlocksGiveEachLaneARunOfItsOwn) {
  shuffle(ShuffleKind::block);
  Input input = input_of(launch, storages);
  Ids lanes[2];
  for (std::uint64_t step = 0; step < 8; ++step)
    for (std::uint64_t lane = 0; lane < 2; ++lane)
      for (const std::int64_t id : ids_of(input, step, {lane, lane + 1})) lanes[lane].push_back(id);
  for (const Ids& lane : lanes) EXPECT_NEAR(static_cast<double>(of_first(lane).size()), 768, 4);
  Ids both = lanes[0];
  both.insert(both.end(), lanes[1].begin(), lanes[1].end());
  std::ranges::sort(both);
  EXPECT_TRUE(std::ranges::adjacent_find(both) == both.end());
  EXPECT_TRUE(contents().ends_with("; in 2 lanes")) << contents();
  mix()[0].stages = {Shuffle{ShuffleKind::full}};
  EXPECT_TRUE(contents().ends_with("; in 2 lanes")) << "where one set lies apart";
}

TEST_F(Mixes, GoThroughStagesBeforeAndBehind) {
  mix()[0].stages = {Interleave{2, 1}, Take{3}, Repeat{2}};
  mix()[1].stages = {Skip{10}};
  mix()[0].weight = 1;
  launch.config.data.stages = {Take{20}, Skip{1}};
  const Ids ids = epoch();
  EXPECT_LE(ids.size(), 13);
  EXPECT_GE(ids.size(), 11);
  const Ids firsts{0, 768, 1, 0, 768, 1};
  EXPECT_TRUE(of_first(ids) == firsts || of_first(ids) == Ids(firsts.begin() + 1, firsts.end()));
  EXPECT_LE(of_second(ids).front(), second_begins + 11);
}

TEST_F(Mixes, AreKnownByTheirSetsWeightsAndStages) {
  shuffle(ShuffleKind::full);
  const std::string usual = contents();
  EXPECT_TRUE(usual.starts_with("3 of (files 2, records 1536, bytes ")) << usual;
  EXPECT_NE(usual.find("), 1 of (files 1, records 4000, bytes "), std::string::npos) << usual;
  EXPECT_TRUE(usual.ends_with(")")) << usual;
  launch.config.data.stages = {Shuffle{}, Take{7}};
  EXPECT_EQ(contents(), usual + "; shuffle Full 0 16; take 7");
  launch.config.data.stages = {};
  mix()[1].stages = {};
  EXPECT_EQ(contents(), usual.substr(0, usual.size() - 1) + "; no stages)");
  shuffle(ShuffleKind::full);
  mix()[0].weight = 2.5;
  EXPECT_EQ(contents(), "2.5" + usual.substr(1));
  const std::string text = order();
  EXPECT_TRUE(text.starts_with("carrack-order v2 mix=2 weight=2.5 files=2 records=1536 bytes=")) << text;
  EXPECT_NE(text.find(" stage=shuffle kind=full weight=1 files=1 records=4000 bytes="), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(" mixed=2")) << text;
  std::swap(mix()[0], mix()[1]);
  EXPECT_NE(contents(), usual);
}

TEST_F(Mixes, AreRefusedByTheSetThatIsWrong) {
  mix()[1].files = {second, here.path() + "/third"};
  EXPECT_EQ(refusal(), "spec.data.train.mix[1].files: no file matches " + here.path() + "/third");
  write_records(here.path() + "/none", 0, 0);
  mix()[1].files = {here.path() + "/none"};
  EXPECT_EQ(refusal(), "spec.data.train.mix[1].files: the files hold no record");
  mix()[1] = {{second}, {Skip{4000}}, 1};
  EXPECT_EQ(refusal(), "spec.data.train.mix[1].stages: leave no record of the files'");
  mix()[1].stages = {Repeat{2}, Cache{"1"}};
  EXPECT_EQ(refusal(),
            "spec.data.train.mix[1].stages[1]: cache: takes more than the 1 bytes it may have; give it more, "
            "or leave it out");
  mix()[1] = {{here.path() + "/checkpoints/*"}, {}, 1};
  EXPECT_EQ(refusal(),
            "spec.data.train.mix[1].files: " + here.path() +
                "/checkpoints/* matches HEAD, which the job itself writes to spec.checkpoint.folder; give it a "
                "folder apart, or say more of the files' names");
}

TEST_F(Mixes, WaitForTheirIndexes) {
  const RoleContext context = some_surroundings(storages);
  const JobData data =
      open_data_as_coordinator(launch, setup_from(launch.config), context, [](const data::IndexingProgress&) {});
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Input>>(data));
}

}  // namespace
}  // namespace carrack::train
