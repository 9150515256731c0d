// The plan against the memory that whole jobs really take.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <thread>

#include "dataloader/machine/heap.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/has_sanitizer.h"
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

// A fork of this process that computes a number, and fails the test if it ends in another way.
class PeakOfFork {
 public:
  explicit PeakOfFork(const std::function<double()>& work) {
    EXPECT_EQ(pipe(ends_.data()), 0);
    child_ = fork();
    if (child_ != 0) return;
    alarm(100);  // It may wait for one that has failed.
    try {
      const double peak = work();
      _exit(write(ends_[1], &peak, sizeof peak) == sizeof peak && !testing::Test::HasFailure() ? 0 : 1);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
  }

  double wait() const {
    double peak = 0;
    int status = 0;
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    EXPECT_EQ(status, 0);
    close(ends_[1]);
    EXPECT_EQ(read(ends_[0], &peak, sizeof peak), ssize_t{sizeof peak});
    close(ends_[0]);
    return peak;
  }

 private:
  std::array<int, 2> ends_{};
  pid_t child_ = 0;
};

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

  // In this process.
  void run() {
    prepare();
    run({Role::coordinator, 0});
  }

  double peak_of_run() {
    return peak_during([&] { run(); });
  }

  // The most that `work` takes, beyond what the process has before it.
  static double peak_during(const std::function<void()>& work) {
    const double before = memory_now();
    double peak = 0;
    std::jthread watch([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        peak = std::max(peak, memory_now() - before);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
    work();
    watch.request_stop();
    watch.join();
    return peak;
  }

  // Of the process of a Single job.
  std::vector<MemoryEntry> planned() const {
    return all_roles_memory(launch.config, layout_of(model()).size(), of_worker());
  }

  std::vector<MemoryEntry> of_server(std::size_t server) const {
    return server_memory(launch.config, setup_from(launch.config).ranges.at(server).size(), false);
  }

  std::vector<MemoryEntry> of_worker() const {
    return worker_memory(launch.config, model(),
                         {.one_process = launch.config.strategy == Strategy::single,
                          .records = launch.config.training.batch,
                          .cpus = cpus,
                          .memory = memory});
  }

  // What is read ahead is small in these jobs.
  void expect_planned(double peak) const { expect_planned(peak, planned()); }
  void expect_planned(double peak, const std::vector<MemoryEntry>& plan) const {
    const double bytes = bytes_needed(plan);
    EXPECT_NEAR(peak, bytes, bytes / 10);
  }

  // The most that each of these members of the job takes, each in a process of its own, a fork of this one.
  std::vector<double> peaks_of_processes(const std::vector<Member>& members) {
    prepare();
    std::vector<PeakOfFork> forks;
    for (const Member& member : members) forks.emplace_back([&] { return peak_during([&] { run(member); }); });
    std::vector<double> peaks;
    for (const PeakOfFork& fork : forks) peaks.push_back(fork.wait());
    return peaks;
  }

  const data::TemporaryFolder temporary;
  Launch launch = some_launch("job", "");

 private:
  // A job of its own for the next run.
  void prepare() {
    launch.job_uid = "job" + std::to_string(++runs_);
    launch.config.checkpoint.folder = temporary.path() + "/checkpoints" + std::to_string(runs_);
    launch.addresses.coordinator = "127.0.0.1:" + std::to_string(free_port());
  }

  void run(Member member) {
    Launch own = launch;
    own.member = member;
    own.addresses.listen = member.role == Role::coordinator ? launch.addresses.coordinator : "127.0.0.1:0";
    // Of this process alone, as it makes names that no other process makes.
    data::StorageSettings settings;
    settings.nonce = static_cast<std::uint64_t>(getpid());
    const data::Storages storages(settings);
    EXPECT_EQ(train::run(own, {.storages = storages,
                               .key = some_key(),
                               .nonce = std::to_string(runs_),
                               .shutdown_requested = [] { return false; },
                               .memory = memory,
                               .cpus = cpus}),
              Exit::succeeded);
  }

  ModelGraph model() const { return model_graph(launch.config.model, launch.config.data); }

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

  // Of a job with one server.
  void expect_server_within_plan(int workers) {
    use_members(1, workers);
    launch.config.training.lanes = workers;
    launch.config.training.batch = 2 * workers;
    std::vector<Member> members{{Role::coordinator, 0}, {Role::ps, 0}};
    for (int i = 0; i < workers; ++i) members.push_back({Role::worker, i});
    const double server = peaks_of_processes(members)[1];
    EXPECT_GT(server, bytes_needed(of_server(0)) * 0.9);
    EXPECT_LT(server, bytes_at_most(of_server(0)) * 1.1);
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
  expect_planned(peak());
}

// How soon the memory of a sent frame is freed is a matter of chance, which only adds memory.
TEST_F(MemoryOfAPerceptron, IsAsPlannedInProcessesOfTheirOwn) {
  use_members(1, 1);
  use_units(4096);
  double server = memory, worker = memory;
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> peaks = peaks_of_processes({{Role::coordinator, 0}, {Role::ps, 0}, {Role::worker, 0}});
    server = std::min(server, peaks[1]);
    worker = std::min(worker, peaks[2]);
    EXPECT_LT(peaks[1], bytes_at_most(of_server(0)) * 1.1);
    EXPECT_LT(peaks[2], bytes_at_most(of_worker()) * 1.1);
  }
  expect_planned(server, of_server(0));
  expect_planned(worker, of_worker());
}

TEST_F(MemoryOfAPerceptron, IsWithinThePlanWithSeveralServersAndWorkers) {
  launch.config.training.deterministic = true;
  use_members(2, 3);
  use_units(4096);
  const std::vector<double> peaks = peaks_of_processes(
      {{Role::coordinator, 0}, {Role::ps, 0}, {Role::ps, 1}, {Role::worker, 0}, {Role::worker, 1}, {Role::worker, 2}});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(peaks[1 + i], bytes_needed(of_server(i)) * 0.9);
    EXPECT_LT(peaks[1 + i], bytes_at_most(of_server(i)) * 1.1);
  }
  const double most = std::ranges::max(std::span(peaks).subspan(3));
  EXPECT_GT(most, bytes_needed(of_worker()) * 0.9) << "of the one with two runs of lanes";
  EXPECT_LT(most, bytes_at_most(of_worker()) * 1.1);
}

// The gradients of all of them are added to one sum as they arrive, so a server takes little more than with one worker.
TEST_F(MemoryOfAPerceptron, IsWithinThePlanWithManyWorkers) {
  use_units(2048);
  expect_server_within_plan(32);
}

// With a small model, so that the tunnels are a large part of it.
TEST_F(MemoryOfAPerceptron, IsWithinThePlanWithManyEncryptedConnections) {
  launch.config.security.tls = true;
  use_units(256);
  expect_server_within_plan(32);
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
