// How the steps of a job speed up with its workers if computing is all that takes time and each worker has cores of its
// own. The roles and the streams between them are those of a real job, but a worker's endpoint sleeps for each record
// of a gradient before it sends it, so that the workers need no cores to compute at the same time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <fstream>
#include <memory>
#include <thread>

#include "dataloader/mutex.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/comm/transport/grpc_endpoint.h"
#include "trainer/loop/roles/role_loop.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int batch = 105;  // divides evenly among 3, 5 and 7 workers
constexpr std::size_t features = 1000;
constexpr auto time_per_record = std::chrono::milliseconds(3);

// The last step that any worker has computed.
class Steps {
 public:
  void computed(std::uint64_t step) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    last_ = std::max(last_, step);
    changed_.notify_all();
  }

  // How many a second there are from here on, over so many of them.
  double rate(std::uint64_t count) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    await(lock, last_ + 1);
    const Clock::time_point begin = Clock::now();
    await(lock, last_ + count);
    return static_cast<double>(count) / Seconds(Clock::now() - begin).count();
  }

 private:
  void await(MutexLock& lock, std::uint64_t step) REQUIRES(mutex_) {
    while (last_ < step) changed_.wait(lock);
  }

  Mutex mutex_;
  ConditionVariable changed_;
  std::uint64_t last_ GUARDED_BY(mutex_) = 0;
};

class SlowEndpoint final : public Endpoint {
 public:
  SlowEndpoint(std::unique_ptr<Endpoint> endpoint, Steps& steps) : endpoint_(std::move(endpoint)), steps_(steps) {}

  std::string listen(const std::string& address) override { return endpoint_->listen(address); }
  PeerId connect(const std::string& address, const ExpectedMember& expected) override {
    return endpoint_->connect(address, expected);
  }

 private:
  class SlowStream final : public Stream {
   public:
    SlowStream(SlowEndpoint& endpoint, PeerId peer) : endpoint_(endpoint), peer_(peer) {}

    void send(Frame frame) override {
      if (frame.message.has_push()) {
        const wire::Push& push = frame.message.push();
        std::this_thread::sleep_for(time_per_record * push.records());
        endpoint_.steps_.computed(push.batch() + 1);
      }
      endpoint_.endpoint_->send(peer_, std::move(frame.message), std::move(frame.tail));
    }
    void close() override { endpoint_.endpoint_->close(peer_); }
    void cancel() override { endpoint_.endpoint_->cancel(peer_); }
    bool is_open() override { return endpoint_.endpoint_->is_open(peer_); }

   private:
    SlowEndpoint& endpoint_;
    PeerId peer_;
  };

  std::shared_ptr<Stream> find(PeerId peer) override { return std::make_shared<SlowStream>(*this, peer); }

  std::unique_ptr<Endpoint> endpoint_;
  Steps& steps_;
};

class Scaling : public testing::Test {
 protected:
  Scaling() {
    data::Bytes file;
    for (int i = 0; i < 4 * batch; ++i) {
      const std::vector<float> x(features, static_cast<float>(i) / batch), y{static_cast<float>(i)};
      const data::NamedValues values[] = {{"x", std::span<const float>(x)}, {"y", std::span<const float>(y)}};
      data::frame::append(file, data::example_of(values));
    }
    std::ofstream(temporary.path() + "/line.tfrecord", std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    launch.addresses.coordinator = "unix:" + temporary.path() + "/coordinator";
    launch.config.ps = {1, 1};
    launch.config.workers = {1, 7};
    launch.config.data.files = {temporary.path() + "/line.tfrecord"};
    launch.config.data.features[0].size = features;
    launch.config.training.batch = batch;
    launch.config.training.epochs = 1'000'000;
    launch.config.training.optimizer = Sgd{1e-9};
    launch.config.checkpoint.every_steps.reset();
    begin(Role::coordinator, 0, [](auto endpoint) { return endpoint; });
    begin(Role::ps, 0, [](auto endpoint) { return endpoint; });
  }

  ~Scaling() override { leave = true; }

  void begin_workers(int count) {
    for (int end = workers + count; workers < end; ++workers) {
      begin(Role::worker, workers,
            [this](auto endpoint) { return std::make_unique<SlowEndpoint>(std::move(endpoint), steps); });
    }
  }

  // The fastest of several counts of steps a second, as other programs of the machine only slow them: until it is
  // `enough`, but not for longer than `patience`.
  double fastest(std::uint64_t count, double enough, std::chrono::seconds patience) {
    const Clock::time_point deadline = Clock::now() + patience;
    double most = steps.rate(count);
    while (most < enough && Clock::now() < deadline) most = std::max(most, steps.rate(count));
    return most;
  }

  const data::TemporaryFolder temporary;
  const data::Storages storages{data::StorageSettings{}};
  Launch launch = some_launch("scaling", temporary.path() + "/checkpoints");
  Steps steps;

 private:
  using Wrap = std::function<std::unique_ptr<Endpoint>(std::unique_ptr<Endpoint>)>;

  void begin(Role role, int index, Wrap wrap) {
    Launch& own = launches.emplace_back(launch);
    own.member = {role, index};
    own.addresses.listen = role == Role::coordinator ? own.addresses.coordinator : "unix:" + temporary.path() + "/ps";
    threads.emplace_back([this, &own, wrap = std::move(wrap)] { run(own, wrap); });
  }

  // As train::run(), with the endpoint of `wrap`.
  void run(const Launch& own, const Wrap& wrap) const {
    const RoleContext context{
        .storages = storages, .key = some_key(), .nonce = std::to_string(getpid()), .shutdown_requested = [this] {
          return leave.load();
        }};
    Watchdog watchdog([](const std::string& what) { FAIL() << what; });
    Inbox inbox;
    const Identity identity{context.key, {own.member, own.fence}};
    const RoleConnections connections{
        inbox,
        [&](const EndpointLimits& limits) {
          return wrap(std::make_unique<GrpcEndpoint>(inbox, identity, limits, context.log));
        },
        watchdog};
    const auto open = own.member.role == Role::coordinator ? open_coordinator
                      : own.member.role == Role::ps        ? open_server
                                                           : open_worker;
    const OpenedRole opened = open(own, context, connections);
    RoleLoop& role = *std::get<std::shared_ptr<RoleLoop>>(opened);
    for (role.tick(); !role.exit(); role.tick()) {
      inbox.handle_all(Clock::now() + tick_every, [&](Event& event) { role.handle(event); });
    }
  }

  std::atomic<bool> leave = false;
  int workers = 0;
  std::deque<Launch> launches;        // as each thread has it
  std::vector<std::jthread> threads;  // last: they use all of the above
};

class ScalesTo : public Scaling, public testing::WithParamInterface<int> {};

TEST_P(ScalesTo, NearlyAsManyTimesTheStepsASecondOfOneWorker) {
  begin_workers(1);
  const double of_one = steps.rate(6);
  begin_workers(GetParam() - 1);
  steps.rate(20);  // until all have joined
  const double times =
      fastest(static_cast<std::uint64_t>(5) * GetParam(), 0.9 * GetParam() * of_one, std::chrono::seconds(10)) / of_one;
  RecordProperty("times", std::to_string(times));
  EXPECT_GE(times, 0.9 * GetParam());
}

INSTANTIATE_TEST_SUITE_P(Scaling, ScalesTo, testing::Values(3, 5, 7));

TEST_F(Scaling, AJoinSpeedsTheStepsUpWithinSeconds) {
  begin_workers(1);
  const double of_one = steps.rate(6);
  const Clock::time_point joins = Clock::now();
  begin_workers(1);
  EXPECT_GE(fastest(4, 1.7 * of_one, std::chrono::seconds(5)), 1.7 * of_one);
  const Seconds passed = Clock::now() - joins;
  RecordProperty("seconds", std::to_string(passed.count()));
  EXPECT_LT(passed, std::chrono::seconds(5));
}

}  // namespace
}  // namespace carrack::train
