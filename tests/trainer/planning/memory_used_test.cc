// The plan against the memory that whole jobs really take.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <thread>

#include "dataloader/machine/heap.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/connections.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "tests/trainer/models/networks.h"
#include "trainer/loop/roles/role.h"
#include "trainer/planning/memory_need.h"

namespace carrack::train {
namespace {

constexpr unsigned cpus = 2;
constexpr std::uint64_t memory = std::uint64_t{4} << 30;

// The memory of this process that is not a file's.
double memory_now() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib * 1024;
  }
  ADD_FAILURE() << "/proc/self/status has no RssAnon";
  return 0;
}

void write_records(const std::string& path, std::size_t records,
                   const std::vector<std::pair<std::string, std::size_t>>& features) {
  data::Bytes file;
  const std::vector<float> numbers(1024, 0.5f);
  for (std::size_t i = 0; i < records; ++i) {
    std::vector<data::NamedValues> values;
    for (const auto& [name, size] : features) values.push_back({name, std::span(numbers).first(size)});
    data::frame::append(file, data::example_of(values));
  }
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
}

// Sanitizers keep what was freed for a while.
constexpr bool has_sanitizer =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

class MemoryUsed : public testing::Test {
 protected:
  MemoryUsed() {
    data::use_one_heap();
    launch.config.strategy = Strategy::single;
    launch.config.ps = {0, 0};
    launch.config.checkpoint.every_steps = std::nullopt;
    launch.config.checkpoint.every_seconds = 3600;
    launch.config.training.epochs = 1;
  }

  void SetUp() override {
    if (has_sanitizer) GTEST_SKIP() << "sanitizers keep what was freed";
  }

  // The processes of the job as threads, all in this one.
  void run() {
    launch.job_uid = "job" + std::to_string(++runs_);
    launch.config.checkpoint.folder = temporary.path() + "/checkpoints" + std::to_string(runs_);
    if (launch.config.strategy == Strategy::single) return run({Role::coordinator, 0});
    launch.addresses.coordinator = "127.0.0.1:" + std::to_string(free_port());
    std::vector<std::jthread> members;
    members.emplace_back([this] { run({Role::coordinator, 0}); });
    for (int i = 0; i < launch.config.ps.max; ++i) members.emplace_back([this, i] { run({Role::ps, i}); });
    for (int i = 0; i < launch.config.workers.max; ++i) members.emplace_back([this, i] { run({Role::worker, i}); });
  }

  // The most that a run takes, beyond what the process has before it.
  double peak_of_run() {
    const double before = memory_now();
    double peak = 0;
    std::jthread watch([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        peak = std::max(peak, memory_now() - before);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
    run();
    watch.request_stop();
    watch.join();
    return peak;
  }

  // Of all processes of the job together.
  std::vector<MemoryEntry> planned() const {
    const train::Setup setup = setup_from(with_server());
    const bool one_process = launch.config.strategy == Strategy::single;
    std::vector<MemoryEntry> all;
    const auto append = [&](const std::vector<MemoryEntry>& more) { all.insert(all.end(), more.begin(), more.end()); };
    for (const Range range : setup.ranges) append(server_memory(launch.config, range.size(), one_process));
    for (int i = 0; i < launch.config.workers.max; ++i) {
      append(worker_memory(
          launch.config, setup.model,
          {.one_process = one_process, .records = launch.config.training.batch, .cpus = cpus, .memory = memory}));
    }
    return all;
  }

  // What is read ahead is small in these jobs.
  void expect_planned(double peak) const {
    const double bytes = bytes_always(planned());
    EXPECT_NEAR(peak, bytes, bytes / 10);
  }

  const data::TemporaryFolder temporary;
  Launch launch = some_launch("job", "");

 private:
  void run(Member member) {
    Launch own = launch;
    own.member = member;
    own.addresses.listen = member.role == Role::coordinator ? launch.addresses.coordinator : "127.0.0.1:0";
    EXPECT_EQ(train::run(own, {.storages = storages_,
                               .key = "key",
                               .nonce = std::to_string(runs_),
                               .shutdown_requested = [] { return false; },
                               .memory = memory,
                               .cpus = cpus}),
              Exit::succeeded);
  }

  Config with_server() const {
    Config config = launch.config;
    config.ps.max = std::max(1, config.ps.max);
    return config;
  }

  const data::Storages storages_{data::StorageSettings{}};
  int runs_ = 0;
};

class MemoryOfAPerceptron : public MemoryUsed {
 protected:
  MemoryOfAPerceptron() {
    write_records(temporary.path() + "/records", 320, {{"x", 1024}, {"y", 1}});
    launch.config.data = {{temporary.path() + "/records"},
                          {{"x", FeatureType::float32, 1024}, {"y", FeatureType::float32, 1}}};
    launch.config.training.batch = 16;
  }

  // A small model first, for what a process has before it trains.
  double peak() {
    use_units(4);
    run();
    use_units(4096);
    return peak_of_run();
  }

  void use_units(std::int64_t units) {
    launch.config.model =
        Layers{{dense(units, {"x"}), dense(units / 2), dense(1)}, {.kind = LossKind::mse, .target = "y"}};
  }

  void use_members(int servers, int workers) {
    launch.config.strategy = Strategy::parameter_server;
    launch.config.ps = {servers, servers};
    launch.config.workers = {workers, workers};
  }
};

TEST_F(MemoryOfAPerceptron, IsAsPlannedInOneProcess) {
  expect_planned(peak());
}

TEST_F(MemoryOfAPerceptron, IsAsPlannedWithDeterministic) {
  launch.config.training.deterministic = true;
  expect_planned(peak());
}

TEST_F(MemoryOfAPerceptron, IsAsPlannedInAsync) {
  launch.config.training.consistency = Consistency::async;
  expect_planned(peak());
}

TEST_F(MemoryOfAPerceptron, IsAsPlannedWhileItSaves) {
  launch.config.checkpoint.every_steps = 10;
  const double used = peak(), bytes = bytes_needed(planned());
  // A save keeps a third version of the parameters only if two updates are done before it ends.
  const double parameters = planned().front().bytes;
  EXPECT_GT(used, (bytes - parameters) * 0.9);
  EXPECT_LT(used, bytes * 1.1);
}

// How many pieces of frames there are at once is a matter of chance, so the median of three runs is taken.
TEST_F(MemoryOfAPerceptron, IsAsPlannedInProcessesOfTheirOwn) {
  use_members(1, 1);
  std::array<double, 3> peaks;
  std::ranges::generate(peaks, [this] { return peak(); });
  std::ranges::sort(peaks);
  expect_planned(peaks[peaks.size() / 2]);
}

// Where several gradients or parameters travel at once is a matter of chance.
TEST_F(MemoryOfAPerceptron, IsWithinThePlanWithSeveralServersAndWorkers) {
  launch.config.training.deterministic = true;
  use_members(2, 3);
  const double used = peak();
  double most = 0;
  for (const MemoryEntry& entry : planned()) most += entry.bytes;
  EXPECT_GT(used, bytes_always(planned()) * 0.9);
  EXPECT_LT(used, most * 1.1);
}

class MemoryOfAnAutoencoder : public MemoryUsed {
 protected:
  MemoryOfAnAutoencoder() {
    write_records(temporary.path() + "/records", 8192, {{"x", 32 * 16}});
    launch.config.data = {{temporary.path() + "/records"}, {{"x", FeatureType::float32, 32 * 16, {}, Shape{32, 16}}}};
    Layer decoder = with_units(of_kind("LSTM"), 64);
    decoder.set("returnSequences", true);
    launch.config.model = Layers{
        {with_units(of_kind("LSTM", {"x"}), 64), repeat(32), decoder, with_units(of_kind("TimeDistributed"), 16)},
        {.kind = LossKind::mse, .target = "x"}};
  }

  double peak() {
    launch.config.training.batch = 16;
    run();
    launch.config.training.batch = 2048;
    return peak_of_run();
  }
};

TEST_F(MemoryOfAnAutoencoder, IsAsPlannedInOneProcess) {
  expect_planned(peak());
}

TEST_F(MemoryOfAnAutoencoder, IsAsPlannedWithDeterministic) {
  launch.config.training.deterministic = true;
  expect_planned(peak());
}

}  // namespace
}  // namespace carrack::train
