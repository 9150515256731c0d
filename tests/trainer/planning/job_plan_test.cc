#include "trainer/planning/job_plan_text.h"

#include <gtest/gtest.h>

#include "tests/trainer/models/networks.h"

namespace carrack::train {
namespace {

Config some_config() {
  Config config;
  config.strategy = Strategy::parameter_server;
  config.ps = {2, 2};
  config.workers = {1, 7};
  config.model = Layers{{dense(2048, {"x"}, "wide"), dense(1, {}, "last")}, {.kind = LossKind::mse, .target = "y"}};
  config.data.files = {"gs://bucket/*"};
  config.data.features = {{"x", FeatureType::float32, 1024}, {"y", FeatureType::float32, 1}};
  config.training = {.batch = 1000, .optimizer = Adam{}};
  config.checkpoint.folder = "gs://bucket/out";
  return config;
}

TEST(Shares, OfSevenWorkersOnEightLanesMakeSixWait) {
  const Shares shares = shares_of(320, 8, 7);
  EXPECT_EQ(shares.least, 40);
  EXPECT_EQ(shares.most, 80);
  EXPECT_NEAR(shares.waiting, 0.43, 0.005);
  EXPECT_EQ(better_lanes(320, 8, 7), 32);
  EXPECT_NEAR(shares_of(320, 32, 7).waiting, 0.09, 0.005);
}

TEST(Shares, AreEqualIfEachRecordIsALane) {
  EXPECT_EQ(equal_shares_of(80, 7).most, 12);
  EXPECT_EQ(shares_of(80, 8, 8).waiting, 0);
  EXPECT_EQ(shares_of(80, 8, 1).waiting, 0);
  EXPECT_EQ(equal_shares_of(2'147'483'647, 1000).least, 2'129'919);
}

// Of 12 records, the first four lanes have two each, and the others one.
TEST(Shares, AreLargerOfTheFirstLanes) {
  const Shares shares = shares_of(12, 8, 2);
  EXPECT_EQ(shares.most, 8);
  EXPECT_EQ(shares.least, 4);
  EXPECT_EQ(shares.waiting, 0.25);
  EXPECT_EQ(equal_shares_of(12, 2).most, 6) << "without lanes";
}

TEST(Shares, OfFewerRecordsThanWorkersLeaveSomeWithNone) {
  const Shares shares = equal_shares_of(4, 7);
  EXPECT_EQ(shares.least, 0);
  EXPECT_EQ(shares.most, 1);
  EXPECT_FALSE(better_lanes(4, 8, 7)) << "no number of lanes makes more records";
}

std::vector<Pieces> pieces_of(const Data& data) {
  std::vector<Pieces> all;
  for (const ReadSet& set : read_sets(data)) all.push_back(set.pieces);
  return all;
}

TEST(ReadSets, AreReadInPiecesAsTheirShufflesSay) {
  const auto pieces = [](const std::string& file, std::vector<Stage> stages) {
    return pieces_of({.files = {file}, .features = {}, .stages = std::move(stages)}).front();
  };
  EXPECT_EQ(pieces("gs://b/a", {}), Pieces::whole_files);
  EXPECT_EQ(pieces("gs://b/a", {Shuffle{}}), Pieces::runs);
  EXPECT_EQ(pieces("/a", {Shuffle{}}), Pieces::records);
  EXPECT_EQ(pieces("file:///a", {Shuffle{}}), Pieces::records);
  EXPECT_EQ(pieces("/a.gz", {Shuffle{}}), Pieces::runs) << "each record would inflate much";
  EXPECT_EQ(pieces("/a.gz", {Shuffle{ShuffleKind::full}}), Pieces::records);
  EXPECT_EQ(pieces("/a.gz", {Snapshot{"/s"}, Shuffle{}}), Pieces::records) << "the snapshot is plain";
  EXPECT_EQ(pieces("/a", {Shuffle{ShuffleKind::block}}), Pieces::runs);
  EXPECT_EQ(pieces("/a", {Shuffle{ShuffleKind::full}, Shuffle{ShuffleKind::block}}), Pieces::records);
  EXPECT_EQ(pieces("/a", {Shuffle{}, Snapshot{"gs://b/s"}}), Pieces::whole_files) << "the snapshot is in its order";
  EXPECT_EQ(pieces("/a", {Snapshot{"gs://b/s"}, Shuffle{}}), Pieces::runs);
}

TEST(ReadSets, OfAMixAreThoseOfItsSets) {
  Data data{.files = {}, .features = {}, .stages = {}};
  data.mix = {{{"gs://b/a"}, {Shuffle{ShuffleKind::block, 7}}, 1}, {{"/b"}, {}, 1}};
  EXPECT_EQ(pieces_of(data), (std::vector{Pieces::runs, Pieces::whole_files}));
  EXPECT_EQ(read_sets(data)[0].run_records, 7);
  EXPECT_EQ(read_sets(data)[1].field, "spec.data.train.mix[1]");
  EXPECT_FALSE(read_sets(data)[1].is_remote);
}

TEST(JobPlan, HasTheTensorsOfEachLayerAndGroup) {
  Config config = some_config();
  config.training.groups = {{.tensors = {"wide/*"}, .frozen = true}, {.tensors = {"*/bias"}}};
  const JobPlan plan = job_plan(config, 2);
  ASSERT_EQ(plan.layers.size(), 2);
  EXPECT_EQ(plan.layers[0].output, "[rows, 2048]");
  EXPECT_EQ(plan.layers[0].tensors, 2);
  EXPECT_EQ(plan.layers[0].parameters, 1024 * 2048 + 2048);
  EXPECT_EQ(plan.groups[0].parameters, 1024 * 2048 + 2048);
  EXPECT_EQ(plan.groups[1].tensors, 1) << "a tensor is of the first group that matches";
}

TEST(JobPlan, CountsTheMemoryOfTheLargestServerAndOfAWorkersShare) {
  const Config config = some_config();
  const JobPlan plan = job_plan(config, 2);
  EXPECT_FALSE(plan.memory.single);
  EXPECT_EQ(plan.memory.server->processes, 2);
  EXPECT_NEAR(plan.memory.server->entries[0].bytes, 2'101'249 * 4 / 2, 4096 * 4);
  const auto records = [](const std::vector<MemoryEntry>& entries) {
    for (const MemoryEntry& entry : entries)
      if (entry.of == MemoryOf::batch) return entry.bytes;
    return 0.0;
  };
  EXPECT_EQ(records(plan.memory.worker->entries), 250 * 1025 * 4) << "two of eight lanes";
  EXPECT_GT(plan.memory.only_worker, 1000 * 1025 * 4);
}

TEST(JobPlan, DividesByLanesOnlyWhereLanesHaveRecordsOfTheirOwn) {
  Config config = some_config();
  EXPECT_TRUE(job_plan(config, 2).division->by_lanes) << "a shuffle of remote files is by runs";
  EXPECT_EQ(job_plan(config, 2).division->better_lanes, 64);
  config.data.files = {"/local"};
  const JobPlan local = job_plan(config, 2);
  EXPECT_FALSE(local.division->by_lanes);
  EXPECT_EQ(local.division->shares.most, 143);
  EXPECT_TRUE(local.division_without_index->by_lanes);
  config.data.stages = {Shuffle{ShuffleKind::full}};
  EXPECT_FALSE(job_plan(config, 2).division_without_index) << "it starts when all is indexed";
  config.data.stages = Data().stages;
  config.training.deterministic = true;
  EXPECT_TRUE(job_plan(config, 2).division->by_lanes);
  config.training.deterministic = false;
  config.training.consistency = Consistency::async;
  EXPECT_FALSE(job_plan(config, 2).division) << "no worker waits for another";
}

TEST(JobPlan, OfSingleHasOneProcess) {
  Config config = some_config();
  config.strategy = Strategy::single;
  config.ps = {0, 0};
  config.workers = {1, 1};
  const JobPlan plan = job_plan(config, 2);
  EXPECT_FALSE(plan.memory.server || plan.memory.worker || plan.division);
  ASSERT_TRUE(plan.memory.single);
  EXPECT_EQ(plan.checkpoint.files, 3);
}

TEST(JobPlan, OfAnOwnModelDoesNotKnowWhatItsProgramTakes) {
  Config config = some_config();
  config.training.groups.clear();
  config.model = OwnModel{{{"weight", {2048, 1024}}, {"bias", {2048}}}};
  const JobPlan plan = job_plan(config, 2);
  ASSERT_EQ(plan.layers.size(), 1u);
  EXPECT_EQ(plan.layers[0].tensors, 2);
  EXPECT_EQ(plan.layers[0].parameters, 1024 * 2048 + 2048);
  EXPECT_EQ(plan.memory.server->processes, 2);
  ASSERT_TRUE(plan.memory.worker);
  for (const MemoryEntry& entry : plan.memory.worker->entries) EXPECT_NE(entry.of, MemoryOf::results) << entry.name;
  const std::string printed = text(plan, config);
  EXPECT_NE(printed.find("memory of each of 7 workers, without what its program takes\n"), std::string::npos)
      << printed;
}

TEST(JobPlan, CountsTheMemoryOfGpus) {
  Config config = some_config();
  config.workers = {7, 7};
  config.worker_gpus = 2;
  const JobPlan plan = job_plan(config, 2);
  ASSERT_TRUE(plan.memory.gpu);
  EXPECT_EQ(plan.memory.gpu->processes, 14);
  double records = 0;
  for (const MemoryEntry& entry : plan.memory.gpu->entries) records += entry.of == MemoryOf::batch ? entry.bytes : 0;
  EXPECT_EQ(records, 125 * 1025 * 4) << "half of what the worker with the most has";
  const std::string printed = text(plan, config);
  EXPECT_NE(printed.find("memory of each of 14 GPUs\n"
                         "  parameters                 8.4 MB\n"
                         "  a sum of gradients         8.4 MB\n"
                         "  records                  512.5 kB\n"),
            printed.npos)
      << printed;
  EXPECT_NE(printed.find("A GPU with less memory computes its records in parts; it needs at least 16.8 MB.\n"),
            printed.npos)
      << printed;
  config.workers = {1, 7};
  const JobPlan of_few = job_plan(config, 2);
  EXPECT_EQ(of_few.memory.gpu->entries[2].bytes, 500 * 1025 * 4) << "the job may start with one worker";
  config.strategy = Strategy::single;
  config.workers = {1, 1};
  EXPECT_EQ(job_plan(config, 2).memory.gpu->processes, 2);
  config.worker_gpus = 0;
  EXPECT_FALSE(job_plan(config, 2).memory.gpu);
}

TEST(JobPlan, CountsChunksOfUploads) {
  Config config = some_config();
  const double shard = job_plan(config, 2).checkpoint.bytes / 2;
  EXPECT_GT(shard, 8 << 20);
  EXPECT_LT(shard, 16 << 20);
  const CheckpointPlan plan = job_plan(config, 2).checkpoint;
  EXPECT_EQ(plan.files, 4);
  EXPECT_EQ(plan.requests_to_write, 2 * 3 + 2 * 2 + 3);
  EXPECT_EQ(plan.requests_to_remove, 5);
  config.checkpoint.folder = "/out";
  EXPECT_EQ(job_plan(config, 2).checkpoint.requests_to_write, 0);
}

TEST(JobPlan, IsPrinted) {
  Config config = some_config();
  config.training.groups = {{.tensors = {"wide/*"}, .frozen = true}};
  config.checkpoint.every_steps = 50;
  const std::string printed = text(job_plan(config, 2), config);
  const auto expect_in = [&](const std::string& part) {
    EXPECT_NE(printed.find(part), printed.npos) << part << printed;
  };
  expect_in(
      "layer   output        tensors  parameters\n"
      "wide    [rows, 2048]        2   2,099,200\n"
      "last    [rows, 1]           2       2,049\n"
      "in all                      4   2,101,249\n"
      "training.groups[0]: 2 tensors with 2,099,200 parameters that never change\n\n"
      "memory of each of 2 parameter servers\n"
      "  parameters                                     4.2 MB\n");
  expect_in("memory of each of 7 workers\n");
  expect_in("  a save of parameters and optimizer state      12.6 MB\n");
  expect_in("  a second save, if the one before is not done  12.6 MB  at times\n");
  expect_in("  3 batches that are read ahead          3.1 MB  at times\n");
  expect_in("while it is the only one.\n\n");
  expect_in(
      "a batch of 1,000 records in 8 lanes on 7 workers: 125 to 250 records each, 43% of the workers' time is waiting; "
      "with training.lanes: 64 it is 5%\n");
  expect_in(
      "a checkpoint: 25.2 MB in 4 files, every 300 seconds, and at each multiple of 50 steps; 13 requests to storage "
      "to write it, 5 to "
      "remove it\n");
  expect_in(
      "spec.data.train: requests to storage in an epoch: about 238 for each GB, one for each run of the shuffle\n");
}

}  // namespace
}  // namespace carrack::train
