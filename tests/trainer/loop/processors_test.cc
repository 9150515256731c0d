// Chooses GPUs that are CPUs: the kernels of this program are those of tests/trainer/kernels/cuda_on_cpu, which says
// that there are 4 GPUs.
#include "trainer/loop/roles/processors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/trainer/graph/expect_error.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "tests/trainer/models/networks.h"
#include "trainer/execution/split_executor.h"
#include "trainer/kernels/device.h"
#include "trainer/planning/gpu_memory.h"

namespace carrack::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Layers normalized() {
  return {{dense(64, {"x"}), of_kind("BatchNorm"), dense(1)}, {.kind = LossKind::mse, .target = "y"}};
}

class ProcessorsTest : public testing::Test {
 protected:
  ProcessorsTest() {
    launch.config.data.features = {{"class", FeatureType::int64, 8},
                                   {"steps", FeatureType::float32, 32 * 16, {}, Shape{32, 16}},
                                   {"x", FeatureType::float32, 256},
                                   {"y", FeatureType::float32, 1}};
    launch.config.model = Layers{{dense(512, {"x"}), dense(512), dense(1)}, {.kind = LossKind::mse, .target = "y"}};
    launch.config.training.batch = 4096;
    launch.config.worker_gpus = 1;
    launch.member = {Role::worker, 0};
  }
  ~ProcessorsTest() override { unsetenv("CARRACK_CUDA_ON_CPU_BYTES"); }

  static void have(double bytes) {
    setenv("CARRACK_CUDA_ON_CPU_BYTES", std::to_string(static_cast<std::uint64_t>(bytes)).c_str(), 1);
  }

  WorkerProcessors chosen() {
    RoleContext context = some_surroundings(storages);
    context.log = [this](const std::string& line) { log.push_back(line); };
    return choose_processors(launch, setup_from(launch.config), context, launch.config.training.batch);
  }

  std::vector<int> numbers() {
    std::vector<int> all;
    for (const Processor& processor : chosen().all) {
      EXPECT_EQ(processor.device, Device::cuda);
      all.push_back(processor.number);
    }
    return all;
  }

  // The memory that a GPU needs for the share of a worker with so many records of a batch, or for one unit of it.
  double needed(std::int64_t records) const {
    const ModelGraph model = setup_from(launch.config).model;
    return bytes_at_most(gpu_memory(model, lone_gpu_share(launch.config, model, records)));
  }
  double needed_by_units(std::int64_t units) const {
    const ModelGraph model = setup_from(launch.config).model;
    return bytes_at_most(gpu_memory(model, lone_gpu_share(launch.config, model, 4096).with(units)));
  }

  // Returns a size of memory of which so many bytes are used.
  static double of_usable(double bytes) { return bytes * 16 / 15 + 16; }

  // `lanes` are the ends of the lanes of a batch.
  void expect_used_as_planned(std::int64_t rows, const std::vector<std::int64_t>& lanes = {}) {
    launch.config.training.batch = rows;
    const train::Setup setup = setup_from(launch.config);
    cuda::use_device(0);
    const std::size_t before = cuda::device_memory().free_bytes;
    SplitExecutor executor(gradients(setup.model.graph, *setup.model.loss), setup.layout, {1, 1, rows},
                           std::vector<Processor>{{Device::cuda, 0}});
    run(executor, rows, lanes);
    const auto used = static_cast<double>(before - cuda::device_memory().free_bytes);
    EXPECT_NEAR(used, needed(rows), needed(rows) / 10);
  }

  float run(SplitExecutor& executor, std::int64_t rows, const std::vector<std::int64_t>& lanes = {}) const {
    const train::Setup setup = setup_from(launch.config);
    std::vector<std::vector<float>> floats;
    std::vector<std::vector<std::int64_t>> integers;
    for (const Feature& feature : setup.model.features) {
      floats.emplace_back(static_cast<std::size_t>(rows * feature.size), 0.5f);
      integers.emplace_back(static_cast<std::size_t>(rows * feature.size));
    }
    std::vector<FeatureValues> inputs;
    for (std::size_t i = 0; i < floats.size(); ++i) {
      if (model_type(setup.model.features[i].type) == FeatureType::int64) {
        inputs.push_back(std::span<const std::int64_t>(integers[i]));
      } else {
        inputs.push_back(std::span<const float>(floats[i]));
      }
    }
    Floats parameters(static_cast<std::size_t>(setup.layout.size()), 0.01f), gradient(parameters.size(), 0.0f);
    return executor.run(parameters, inputs, rows, gradient, {.lane_ends = lanes});
  }

  const data::Storages storages{data::StorageSettings()};
  Launch launch = some_launch("job", "folder");
  std::vector<std::string> log;
};

TEST_F(ProcessorsTest, AreTheCpuWithoutGpus) {
  launch.config.worker_gpus = 0;
  const WorkerProcessors all = chosen();
  ASSERT_EQ(all.all.size(), 1U);
  EXPECT_EQ(all.all[0].device, Device::cpu);
  EXPECT_EQ(all.rows_at_once.planned, 4096);
  EXPECT_EQ(all.rows_at_once.max, 4096);
}

TEST_F(ProcessorsTest, AreOthersForEachWorkerOfAMachine) {
  launch.config.worker_gpus = 2;
  EXPECT_THAT(numbers(), ElementsAre(0, 1));
  launch.member.index = 1;
  EXPECT_THAT(numbers(), ElementsAre(2, 3));
  launch.member.index = 2;
  EXPECT_THAT(numbers(), ElementsAre(0, 1));
  launch.config.worker_gpus = 4;
  EXPECT_THAT(numbers(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(log, ElementsAre());
  launch.config.worker_gpus = 8;
  expect_error(Blame::platform,
               "spec.replicas.worker.resources.limits.nvidia.com/gpu: this process sees only 4 of 8 GPUs; look whether "
               "nvidia-smi lists them on its machine, and whether the driver is recent enough for CUDA 0.0",
               [this] { chosen(); });
}

// Of a batch of 4,096 records.
TEST_F(ProcessorsTest, HaveMemoryForTheirShareAndForThatOfAbsentWorkers) {
  launch.config.workers = {2, 8};
  launch.config.worker_gpus = 4;
  const RowsAtOnce rows = chosen().rows_at_once;
  EXPECT_EQ(rows.planned, 512);
  EXPECT_EQ(rows.max, 1024);
  EXPECT_EQ(rows.min, 1);
  launch.config.training.consistency = Consistency::async;
  EXPECT_EQ(chosen().rows_at_once.planned, 1024);
  EXPECT_THAT(log, ElementsAre());
}

TEST_F(ProcessorsTest, ComputeInPartsThatFit) {
  have(of_usable(needed(4096)));
  EXPECT_EQ(chosen().rows_at_once.planned, 4096);
  EXPECT_THAT(log, ElementsAre());
  have(of_usable(needed(1024)));
  EXPECT_EQ(chosen().rows_at_once.planned, 1024);
  EXPECT_EQ(chosen().rows_at_once.max, 1024);
  ASSERT_EQ(log.size(), 2U);
  EXPECT_THAT(log[0], HasSubstr("computes batches in parts of at most 1,024 records: 4,096 records at once need "));
  EXPECT_THAT(log[0], HasSubstr(" of GPU memory, and "));
  launch.config.workers = {4, 4};
  EXPECT_EQ(chosen().rows_at_once.planned, 1024);
  EXPECT_EQ(log.size(), 2U) << "the share fits while all workers take part";
}

TEST_F(ProcessorsTest, ComputeWholeLanes) {
  launch.config.training.deterministic = true;
  launch.config.training.lanes = 8;
  EXPECT_EQ(chosen().rows_at_once.planned, 4096);
  EXPECT_EQ(chosen().rows_at_once.min, 512);
  launch.config.workers = {3, 3};
  launch.config.worker_gpus = 2;
  EXPECT_EQ(chosen().rows_at_once.planned, 512) << "of three lanes, two are a subtree";
  EXPECT_EQ(chosen().rows_at_once.max, 2048);
  launch.config.workers = {1, 1};
  launch.config.worker_gpus = 1;
  have(of_usable(needed_by_units(2)));
  EXPECT_EQ(chosen().rows_at_once.planned, 1024);
  have(needed_by_units(1));
  expect_error(Blame::user,
               "spec.training.batch: the gradient of a lane of 512 records at once needs 6.8 MB of GPU memory, and the "
               "GPU has 6.4 MB; set more training.lanes, or a smaller batch",
               [this] { chosen(); });
}

TEST_F(ProcessorsTest, ComputeNoMoreLanesThanABatchHasRecords) {
  launch.config.training.deterministic = true;
  launch.config.training.lanes = 64;
  launch.config.training.batch = 100;
  EXPECT_EQ(chosen().rows_at_once.max, 100);
  EXPECT_EQ(chosen().rows_at_once.min, 2);
  launch.config.worker_gpus = 2;
  EXPECT_EQ(chosen().rows_at_once.max, 64) << "the first 32 lanes have two records each";
}

TEST_F(ProcessorsTest, ComputeNoMoreRecordsThanTheDataHas) {
  launch.config.worker_gpus = 2;
  EXPECT_EQ(choose_processors(launch, setup_from(launch.config), some_surroundings(storages), 100).rows_at_once.max,
            50);
  launch.config.training.deterministic = true;
  EXPECT_EQ(choose_processors(launch, setup_from(launch.config), some_surroundings(storages), 100).rows_at_once.max, 52)
      << "four of eight lanes, of which the first four have 13 records";
  launch.config.training.deterministic = false;
  EXPECT_EQ(choose_processors(launch, setup_from(launch.config), some_surroundings(storages), 3).rows_at_once.max, 3)
      << "a GPU has at least two";
}

TEST_F(ProcessorsTest, AreRefusedIfTheyAreTooSmall) {
  have(needed_by_units(1));
  expect_error(Blame::user,
               "spec.model: the gradient of 1 record at once needs 3.2 MB of GPU memory, and the GPU has 3.0 MB; use a "
               "GPU with more memory, or a smaller model",
               [this] { chosen(); });
  launch.config.model = normalized();
  have(needed(4096));
  expect_error(
      Blame::user,
      "spec.training.batch: the gradient of all 4,096 records at once needs 9.6 MB of GPU memory, and the GPU "
      "has 9.0 MB; the model computes over all of them, so they cannot be divided; set a smaller batch, or use "
      "more GPUs",
      [this] { chosen(); });
  launch.config.workers = {1, 8};
  EXPECT_THROW(chosen(), Error) << "the job may start with one worker";
  launch.config.workers = {2, 2};
  EXPECT_EQ(chosen().rows_at_once.planned, 2048);
  EXPECT_EQ(chosen().rows_at_once.max, 4096) << "never in parts";
  EXPECT_EQ(chosen().rows_at_once.min, 4096);
}

TEST_F(ProcessorsTest, MayBeUsedByOthersForSomeTime) {
  have(of_usable(needed_by_units(1)));
  cuda::use_device(0);
  const cuda::Memory of_another(1000);
  expect_error(
      Blame::platform,
      "spec.model: the gradient of 1 record at once needs 3.2 MB of GPU memory, and 3.2 MB are free; nvidia-smi "
      "lists the processes that use the rest",
      [this] { chosen(); });
}

TEST_F(ProcessorsTest, ComputeSmallerPartsIfThereIsLessRoomThanPlanned) {
  launch.config.training.batch = 64;
  launch.config.model = Layers{{dense(64, {"x"}), dense(1)}, {.kind = LossKind::mse, .target = "y"}};
  const train::Setup setup = setup_from(launch.config);
  const std::vector<Processor> gpu{{Device::cuda, 0}};
  const Gradients graph = gradients(setup.model.graph, *setup.model.loss);
  SplitExecutor whole(graph, setup.layout, {1, 64, 64}, gpu);
  const float loss = run(whole, 64);
  cuda::use_device(0);
  const cuda::DeviceMemory memory = cuda::device_memory();
  const auto used_by_others = static_cast<double>(memory.all_bytes - memory.free_bytes);
  for (const std::int64_t planned : {16, 64}) {
    have(used_by_others + needed(30));
    SplitExecutor split(graph, setup.layout, {1, planned, 64}, gpu);
    EXPECT_FLOAT_EQ(run(split, 64), loss) << planned;
    EXPECT_FLOAT_EQ(run(split, 64), loss) << planned;
  }
  have(used_by_others + needed(12));
  SplitExecutor indivisible(graph, setup.layout, {64, 8, 64}, gpu);
  EXPECT_THROW(run(indivisible, 64), cuda::NoRoom);
  have(1 << 30);
  EXPECT_FLOAT_EQ(run(indivisible, 64), loss) << "after an error";
}

TEST_F(ProcessorsTest, UseTheMemoryThatIsPlanned) {
  expect_used_as_planned(128);
  expect_used_as_planned(1);
  launch.config.model = normalized();
  expect_used_as_planned(128);
  launch.config.training.deterministic = true;
  launch.config.training.lanes = 256;
  std::vector<std::int64_t> lanes;
  for (std::int64_t lane = 1; lane <= 256; ++lane) lanes.push_back(2 * lane);
  expect_used_as_planned(512, lanes);
}

TEST_F(ProcessorsTest, UseTheMemoryThatIsPlannedForTables) {
  Layer table = with_units(of_kind("Embedding", {"class"}), 4);
  table.set("vocabulary", std::int64_t{1000});
  launch.config.model = Layers{{table, of_kind("Flatten"), dense(1)}, {.kind = LossKind::mse, .target = "y"}};
  expect_used_as_planned(2048);
}

TEST_F(ProcessorsTest, UseTheMemoryThatIsPlannedForAttention) {
  Layer attention = of_kind("MultiHeadAttention", {"steps"});
  attention.set("heads", std::int64_t{4});
  attention.set("keySize", std::int64_t{4});
  launch.config.model = Layers{{attention, of_kind("Flatten"), dense(1)}, {.kind = LossKind::mse, .target = "y"}};
  expect_used_as_planned(64);
}

}  // namespace
}  // namespace carrack::train
