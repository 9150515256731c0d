#include "trainer/planning/memory_need.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/trainer/models/networks.h"
#include "trainer/kernels/attention.h"
#include "trainer/kernels/convolution.h"
#include "trainer/kernels/normalization.h"
#include "trainer/planning/compute_memory.h"

namespace carrack::train {
namespace {

constexpr double copy = 4 * 1000;
constexpr const char* unfreed = "a sent message that is not freed yet";
constexpr const char* gradients = "gradients on their way";
constexpr const char* parameters = "parameters on their way";

Config some_config() {
  Config config;
  config.strategy = Strategy::parameter_server;
  config.ps = config.workers = {1, 1};
  config.model = LinearRegression{"x", "y"};
  config.data.features = {{"x", FeatureType::float32, 999}, {"y", FeatureType::float32, 1}};
  config.training = {.batch = 64, .optimizer = Adam{}};
  return config;
}

using Named = std::vector<std::pair<std::string, double>>;

Named of(When when, const std::vector<MemoryEntry>& entries) {
  Named named;
  for (const MemoryEntry& entry : entries) {
    if (entry.when == when) named.emplace_back(entry.name, entry.bytes);
  }
  return named;
}

std::vector<MemoryEntry> worker_of(const Config& config, bool one_process = false) {
  return worker_memory(config, model_graph(config.model, config.data),
                       {.one_process = one_process, .records = 100, .cpus = 2, .memory = 10'000'000});
}

Named of_model(const std::vector<MemoryEntry>& entries) {
  std::vector<MemoryEntry> all = entries;
  std::erase_if(all, [](const MemoryEntry& entry) { return entry.of != MemoryOf::model; });
  return of(When::always, all);
}

TEST(MemoryNeed, OfAServerHoldsTwoVersionsTheirStateAndTheSumThatBecomesTheNext) {
  const auto entries = server_memory(some_config(), 1000, false);
  EXPECT_EQ(of(When::always, entries), (Named{{"parameters", copy},
                                              {"parameters before the last update", copy},
                                              {"optimizer state", 2 * copy},
                                              {"sum of gradients", copy},
                                              {"a save of parameters and optimizer state", 3 * copy}}));
  EXPECT_EQ(of(When::at_times, entries),
            (Named{{unfreed, copy}, {gradients, copy}, {"a second save, if the one before is not done", 3 * copy}}));
  EXPECT_EQ(bytes_needed(entries), 8 * copy);
  EXPECT_EQ(bytes_at_most(entries), 13 * copy);
}

// 64 KiB for OpenSSL and a thread and 16 KiB each way at least, also for the stream to the coordinator.
TEST(MemoryNeed, CountsTheEncryptionOfEachConnection) {
  constexpr double least = (64 << 10) + 2 * (16 << 10);
  Config config = some_config();
  config.ps = {2, 2};
  config.workers = {2, 7};
  const auto encrypted = [&](const std::vector<MemoryEntry>& entries) {
    double bytes = 0;
    for (const MemoryEntry& entry : entries) {
      if (entry.name.starts_with("encryption of ")) bytes += entry.bytes;
    }
    return bytes;
  };
  EXPECT_EQ(encrypted(server_memory(config, 1000, false)), 0);
  EXPECT_EQ(encrypted(worker_of(config)), 0);
  config.security.tls = true;
  EXPECT_EQ(encrypted(server_memory(config, 1000, false)), 7 * (least + 2 * copy) + least);
  EXPECT_EQ(encrypted(server_memory(config, 1'000'000, false)), 7 * (least + 2 * (128 << 10)) + least);
  EXPECT_GE(encrypted(worker_of(config)), 3 * least);
  const auto large = server_memory(config, 1000, false);
  EXPECT_TRUE(std::ranges::any_of(large, [](const auto& one) { return one.name == "encryption of 7 connections"; }));
  EXPECT_EQ(encrypted(server_memory(config, 1000, true)), 0) << "one process has no connections";
}

TEST(MemoryNeed, OfAServerGrowsWithTheWorkersThatSendAtOnce) {
  Config config = some_config();
  config.training.optimizer = Sgd{};
  config.workers = {2, 7};
  const auto sync = server_memory(config, 1000, false);
  EXPECT_EQ(of(When::always, sync)[2], (std::pair<std::string, double>("sum of gradients", copy)));
  EXPECT_EQ(of(When::at_times, sync),
            (Named{{unfreed, copy}, {gradients, 7 * copy}, {"a second save, if the one before is not done", copy}}));
  EXPECT_EQ(of(When::at_times, server_memory(config, 1'000'000'000, false))[1].second, 7 * (8 << 20));
  config.training.consistency = Consistency::async;
  const auto async = server_memory(config, 1000, false);
  EXPECT_EQ(of(When::always, async),
            (Named{{"parameters", copy}, {"sum of gradients", copy}, {"a save of parameters", copy}}));
  EXPECT_EQ(
      of(When::at_times, async)[2],
      (std::pair<std::string, double>("6 other sums of gradients, if those of all workers come at once", 6 * copy)));
}

TEST(MemoryNeed, OfAWorkerHoldsItsParametersAndItsSum) {
  EXPECT_EQ(of_model(worker_of(some_config())), (Named{{"parameters", copy}, {"sum of gradients", copy}}));
}

TEST(MemoryNeed, OfAWorkerHoldsALittleOfWhatEachServerSends) {
  Config config = some_config();
  config.data.features[0].size = 10'000'000;
  EXPECT_EQ(of(When::at_times, worker_of(config))[1], (std::pair<std::string, double>(parameters, 8 << 20)));
  config.ps = {1, 2};
  EXPECT_EQ(of(When::at_times, worker_of(config))[1], (std::pair<std::string, double>(parameters, 16 << 20)));
}

TEST(MemoryNeed, OfAnEvaluationIsTakenAtTimes) {
  Config config = some_config();
  EXPECT_TRUE(evaluation_memory(config).empty());
  config.data.evaluation = EvaluationData{{"a"}};
  const auto entries = evaluation_memory(config);
  EXPECT_EQ(of(When::always, entries), Named());
  const Named parts = of(When::at_times, entries);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].first, "parameters of a checkpoint, while it is evaluated");
  EXPECT_GT(parts[0].second, 0);
  EXPECT_EQ(parts[1].first, "results of its layers, of 256 records");
  EXPECT_GE(parts[1].second, 256 * 4);
  const auto all = all_roles_memory(config, 1000, {});
  EXPECT_EQ(all.back().name, parts[1].first);
}

TEST(MemoryNeed, OfOneProcessHoldsTheParametersOnce) {
  Config config = some_config();
  config.strategy = Strategy::single;
  config.training.deterministic = true;
  EXPECT_EQ(of(When::always, server_memory(config, 1000, true)),
            (Named{{"parameters", copy},
                   {"parameters before the last update", copy},
                   {"optimizer state", 2 * copy},
                   {"a save of parameters and optimizer state", 3 * copy}}));
  EXPECT_EQ(of_model(worker_of(config, true)), (Named{{"sum of gradients", copy}}));
}

// The lanes [2, 5) of three workers on 8 are the runs 2-3 and 4.
TEST(MemoryNeed, WithDeterministicHasASumForEachRunOfLanes) {
  EXPECT_EQ(most_lane_sums(8, 1).of_worker, 1);
  EXPECT_EQ(most_lane_sums(8, 2).of_step, 2);
  EXPECT_EQ(most_lane_sums(8, 3).of_worker, 2);
  EXPECT_EQ(most_lane_sums(8, 3).of_step, 5);
  EXPECT_EQ(most_lane_sums(8, 8).of_step, 8);
  Config config = some_config();
  config.training.deterministic = true;
  config.workers = {3, 3};
  EXPECT_EQ(of_model(worker_of(config)),
            (Named{{"parameters", copy}, {"2 sums of gradients, one of each run of lanes", 2 * copy}}));
  EXPECT_EQ(of(When::at_times, server_memory(config, 1000, false))[2].second, 3 * copy);
}

TEST(MemoryNeed, OfAWorkerHoldsCachesABatchAndWhatItReadsAhead) {
  Config config = some_config();
  config.data.stages = {Cache{"1M"}};
  config.data.mix = {{{"a"}, {Cache{"500k"}}, 1}};
  const auto entries = worker_of(config);
  const Named always = of(When::always, entries);
  EXPECT_EQ(always[2], (std::pair<std::string, double>("caches", 1'500'000)));
  EXPECT_EQ(always[3], (std::pair<std::string, double>("records of a batch", 64 * copy)));
  EXPECT_EQ(always[4].first, "results of the layers");
  EXPECT_GT(always[4].second, 64 * 4);
  config.worker_gpus = 1;
  EXPECT_EQ(of(When::always, worker_of(config)).size(), 4U) << "The results are on the GPU.";
  config.worker_gpus = 4;
  EXPECT_EQ(of(When::always, worker_of(config))[2],
            (std::pair<std::string, double>("sums of gradients of the other GPUs", 3 * copy)));
  const auto of_parts = [&] { return of(When::at_times, worker_of(config))[0].second; };
  EXPECT_EQ(of_parts(), 4 * copy);
  config.training.deterministic = true;
  config.training.lanes = 64;
  EXPECT_EQ(of_parts(), 4 * 4 * copy) << "16 lanes on each GPU";
  config.training.deterministic = false;
  EXPECT_EQ(of(When::at_times, entries),
            (Named{{unfreed, copy}, {parameters, copy}, {"3 batches that are read ahead", 3 * 64 * copy}}));
}

TEST(MemoryNeed, CountsInflatersOfFilesWhoseNamesSayThatTheyAreCompressed) {
  const auto inflaters = [](const std::vector<MemoryEntry>& entries) {
    for (const auto& [name, bytes] : of(When::at_times, entries))
      if (name == "inflaters of compressed files") return bytes / (1 << 20);
    return 0.0;
  };
  Config config = some_config();
  config.data.files = {"gs://b/x-*.tfrecord"};
  EXPECT_EQ(inflaters(worker_of(config)), 0);
  config.data.files.push_back("gs://b/y-*.tfrecord.gz");
  EXPECT_EQ(inflaters(worker_of(config)), 64);
  config.data.stages = {Snapshot{.folder = "/s"}};
  EXPECT_EQ(inflaters(worker_of(config)), 0) << "the snapshot is read";
  config.data.stages = {};
  config.data.mix = {{{"a.zlib"}, {}, 1}, {{"b"}, {}, 1}, {{"c.gz"}, {}, 1}};
  EXPECT_EQ(inflaters(worker_of(config)), 64);
  config.data.evaluation = EvaluationData{{"a"}};
  EXPECT_EQ(inflaters(evaluation_memory(config)), 0);
  config.data.evaluation->files = {"a.gz"};
  EXPECT_EQ(inflaters(evaluation_memory(config)), 64);
}

TEST(MemoryNeed, CountsWhatKernelsKeep) {
  Config config = some_config();
  config.model = Layers{{dense(100, {"x"}), dense(1)}, {.kind = LossKind::mse, .target = "y"}};
  const auto working = [&] {
    for (const auto& [name, bytes] : of(When::always, worker_of(config)))
      if (name == "working memory of kernels") return bytes;
    return 0.0;
  };
  EXPECT_GT(working(), 2 * 4 * 64 * 999);
  EXPECT_LE(working(), 2 * 3 * (1 << 19)) << "1.5 MiB on each of two threads";
  config.data.features[0] = {"x", FeatureType::float32, 90, {}, Shape{9, 10}};
  config.model = Layers{{with_units(of_kind("LSTM", {"x"}), 100), dense(1)}, {.kind = LossKind::mse, .target = "y"}};
  EXPECT_GT(working(), 4 * (2 + 10 + 100) * 400 + 4 * 100 * 400 + 2 * 4 * 64 * 700) << "copies of weights, and states";
}

TEST(MemoryNeed, OfANormalizationGrowsWithTheChunksOfItsLanes) {
  const Data data{{}, {{"s", FeatureType::float32, 100 * 8, {}, Shape{100, 8}}}};
  const Layers network{{with_momentum(0.9, {"s"})}, {LossKind::mse, "s"}};
  const auto kept = [&](std::int64_t lanes) { return compute_memory(model_graph(network, data), 64, lanes).retained; };
  EXPECT_EQ(kept(0), normalization_bytes(6400, 8, 1));
  EXPECT_EQ(kept(16), normalization_bytes(6400, 8, 16));
  EXPECT_GT(kept(16), kept(0) + 15 * 8 * 2 * sizeof(double));
}

// The bytes of each thread that computes a record of so many time steps, beside the packed parts of products.
double of_thread(std::vector<Layer> layers, std::int64_t steps, std::int64_t rows = 64) {
  const Data data{{}, {{"s", FeatureType::float32, steps * 8, {}, Shape{steps, 8, 1}}}};
  layers.push_back(of_kind("Flatten"));
  layers.push_back(dense(steps * 8));
  layers.push_back(reshaped({steps, 8, 1}));
  const Layers network{std::move(layers), {LossKind::mse, "s"}};
  return compute_memory(model_graph(network, data), rows, 0).of_thread - 3 * (1 << 19);
}

TEST(MemoryNeed, OfAttentionGrowsWithTheTimeStepsAndNotWithTheRecords) {
  Layer attention = of_kind("MultiHeadAttention");
  attention.set("keySize", std::int64_t{16});
  const auto steps = [&](std::int64_t count) { return std::vector<Layer>{reshaped({count, 8}, {"s"}), attention}; };
  const double of_256 = of_thread(steps(256), 256);
  EXPECT_EQ(of_256, attention_thread_bytes({.queries = 256, .keys = 256, .key_size = 16, .value_size = 16}));
  EXPECT_LT(of_thread(steps(512), 512), 2 * of_256);
  EXPECT_EQ(of_thread(steps(256), 256, 1000), of_256);
}

// Each kind of layer keeps memory of its own.
TEST(MemoryNeed, OfConvolutionAndAttentionIsAddedUp) {
  Layer convolution = of_kind("Conv2D", {"s"});
  convolution.set("kernelSize", Shape{3});
  Layer same = with(convolution, "padding", "Same");
  Layer attention = of_kind("MultiHeadAttention");
  attention.set("keySize", std::int64_t{16});
  const double alone = of_thread({same}, 16);
  EXPECT_EQ(alone, convolution_thread_bytes({.height = {.size = 3}, .width = {.size = 3}}));
  EXPECT_EQ(of_thread({same}, 16, 1000), alone);
  EXPECT_EQ(of_thread({same, reshaped({16, 8}), attention}, 16),
            alone + attention_thread_bytes({.queries = 16, .keys = 16, .key_size = 16, .value_size = 16}));
}

TEST(MemoryNeed, IsCountedForTheLargestOfJobs) {
  Config config = some_config();
  config.data.features[0].size = 17'179'869'184;
  config.training.batch = 2'147'483'647;
  const auto entries = worker_memory(config, model_graph(config.model, config.data), {.cpus = 1000});
  for (const MemoryEntry& entry : entries) EXPECT_GT(entry.bytes, 0) << entry.name;
  EXPECT_GT(bytes_needed(entries), 4 * 17'179'869'184.0 * 2'147'483'647);
}

}  // namespace
}  // namespace carrack::train
