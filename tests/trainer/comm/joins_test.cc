// A whole job to which workers join one after the other: how often parameters are requested and sent.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/trainer/comm/messages.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/comm/protocol/worker.h"

namespace carrack::train {
namespace {

constexpr std::uint32_t servers = 2;

// Coordinator, servers of one parameter each, and workers. Frames are delivered in the order in which they are sent,
// except those to a server that does not read.
class JobOfMembers {
 public:
  explicit JobOfMembers(bool sync) : sync_(sync), coordinator_(settings(sync), {}) {
    for (std::uint32_t index = 0; index < servers; ++index) {
      servers_.push_back(std::make_unique<ParameterServer>(ServerSettings{
          .job_uid = "job",
          .index = index,
          .incarnation = 1,
          .workers_max = 8,
          .training = {
              .lanes = 4, .optimizer = Sgd{1}, .consistency = sync ? Consistency::sync : Consistency::async}}));
      servers_[index]->coordinator_is(coordinator_peer);
      send(server_id(index), coordinator_peer, {hello(wire::PS, index), {}});
    }
    deliver();
  }

  void join() {
    const auto index = static_cast<std::uint32_t>(workers_.size());
    workers_.push_back(std::make_unique<Worker>(sync_, 4, std::vector<ServerRange>{{0, 1}, {1, 1}}, servers));
    workers_.back()->coordinator_is(coordinator_peer);
    send(worker_id(index), coordinator_peer, {hello(wire::WORKER, index), {}});
    deliver();
  }

  void stop_reading(std::uint32_t server) { stopped_.insert(server_id(server)); }
  void read_again() {
    stopped_.clear();
    deliver();
  }

  // All workers that have something to compute do so once.
  void compute() {
    for (auto& [worker, compute] : std::exchange(computing_, {})) {
      ++computed[compute.batch];
      carry_out(worker, workers_[worker]->computed(gradients_of(compute)));
    }
    deliver();
  }

  std::uint64_t version(std::uint32_t server) const { return servers_[server]->held().version(); }

  std::map<std::string, int> frames;      // frames that were sent, by the field of their message
  std::map<std::uint64_t, int> computed;  // how many workers have computed a batch, or lanes of it

 private:
  struct Delivery {
    PeerId from, to;
    Frame frame;
  };

  // Every process has the same id at all others.
  static constexpr PeerId coordinator_peer = 1;
  static PeerId server_id(std::uint32_t index) { return 10 + index; }
  static PeerId worker_id(std::size_t index) { return 20 + index; }

  void send(PeerId from, PeerId to, Frame frame) {
    const google::protobuf::FieldDescriptor* body =
        wire::Message::descriptor()->FindFieldByNumber(static_cast<int>(frame.message.body_case()));
    ++frames[body->name()];
    queue_.push_back({from, to, std::move(frame)});
  }

  void deliver() {
    std::deque<Delivery> held_back;
    while (!queue_.empty()) {
      Delivery next = std::move(queue_.front());
      queue_.pop_front();
      stopped_.contains(next.to) ? held_back.push_back(std::move(next)) : handle(std::move(next));
    }
    queue_ = std::move(held_back);
  }

  void handle(Delivery delivery) {
    if (delivery.to == coordinator_peer) {
      for (Command& command : coordinator_.received(delivery.from, delivery.frame.message, start)) {
        auto* sent = std::get_if<SendTo>(&command);
        if (sent != nullptr) send(coordinator_peer, sent->peer, {std::move(sent->message), {}});
      }
    } else if (delivery.to >= worker_id(0)) {
      const std::size_t worker = delivery.to - worker_id(0);
      carry_out(worker, workers_[worker]->received(delivery.from, std::move(delivery.frame)));
    } else {
      const std::size_t server = delivery.to - server_id(0);
      carry_out_server(server, servers_[server]->received(delivery.from, std::move(delivery.frame)));
    }
  }

  void carry_out_server(std::size_t server, ParameterServer::Commands commands) {
    for (ParameterServer::Command& command : commands) {
      if (auto* sent = std::get_if<ParameterServer::Send>(&command)) {
        send(server_id(static_cast<std::uint32_t>(server)), sent->peer, {std::move(sent->message), sent->tail});
      }
      if (const auto* load = std::get_if<ParameterServer::BeginLoad>(&command)) {
        ShardState state;
        state.parameters = std::make_shared<const Floats>(1, 0.0f);
        carry_out_server(server, servers_[server]->loaded(load->from.timeline(), std::move(state)));
      }
    }
  }

  void carry_out(std::size_t worker, Worker::Commands commands) {
    for (Worker::Command& command : commands) {
      if (auto* sent = std::get_if<Worker::Send>(&command)) {
        send(worker_id(worker), sent->peer, {std::move(sent->message), sent->tail});
      }
      if (const auto* connect = std::get_if<Worker::Connect>(&command)) {
        wire::Message message = hello(wire::WORKER, static_cast<std::uint32_t>(worker));
        message.mutable_hello()->mutable_to()->set_index(connect->server);
        message.mutable_hello()->mutable_to()->set_incarnation(connect->incarnation);
        send(worker_id(worker), server_id(connect->server), {std::move(message), {}});
        carry_out(worker, workers_[worker]->connected(connect->server, server_id(connect->server)));
      }
      if (const auto* compute = std::get_if<Worker::Compute>(&command)) computing_.insert_or_assign(worker, *compute);
    }
  }

  static std::vector<Gradient> gradients_of(const Worker::Compute& compute) {
    std::vector<Gradient> all;
    for (const Subtree& subtree : aligned_subtrees(compute.lanes)) {
      const Range lanes{subtree.begin, subtree.begin + subtree.size};
      all.push_back({lanes, std::make_shared<Floats>(servers, 1.0f), 1, 0});
    }
    return all;
  }

  const bool sync_;
  Coordinator coordinator_;
  std::vector<std::unique_ptr<ParameterServer>> servers_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::deque<Delivery> queue_;
  std::set<PeerId> stopped_;
  std::map<std::size_t, Worker::Compute> computing_;  // by worker
};

class Joins : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(SyncAndAsync, Joins, testing::Bool());

// The servers are busy, or the parameters are large, so all workers join before the first answer.
TEST_P(Joins, CostEachWorkerOneRequestToEachServer) {
  constexpr int workers = 4;
  JobOfMembers job(GetParam());
  for (std::uint32_t server = 0; server < servers; ++server) job.stop_reading(server);
  for (int i = 0; i < workers; ++i) job.join();
  EXPECT_EQ(job.frames["want"], workers * servers);
  EXPECT_EQ(job.frames["assignment"], GetParam() ? workers * (workers + 1) / 2 : workers);
  job.read_again();
  EXPECT_EQ(job.frames["parameters"], workers * servers);
  job.compute();
  EXPECT_EQ(job.frames["want"], workers * servers) << "the next requests come with the pushes";
  EXPECT_EQ(job.frames["push"], workers * servers);
  for (std::uint32_t server = 0; server < servers; ++server) EXPECT_EQ(job.version(server), GetParam() ? 1u : 4u);
}

// A worker joins after one server has applied a batch, and before the other one has.
TEST(JoinsInAsync, LoseNoAcknowledgement) {
  JobOfMembers job(false);
  job.join();
  job.stop_reading(1);
  job.compute();
  ASSERT_EQ(job.version(0), 1u);
  job.join();
  job.read_again();
  EXPECT_EQ(job.frames["finished"], 1);
  job.compute();
  EXPECT_EQ(job.frames["finished"], 3);
  EXPECT_EQ(job.computed, (std::map<std::uint64_t, int>{{0, 1}, {1, 1}, {2, 1}}));
}

// A step whose parts were sent before the lanes were divided again is computed again, so that it becomes complete.
TEST(JoinsInSync, CompleteAStepThatWasPushedInPart) {
  JobOfMembers job(true);
  job.join();
  job.stop_reading(1);
  job.compute();
  EXPECT_EQ(job.version(0), 1u);
  EXPECT_EQ(job.version(1), 0u);
  job.join();
  job.read_again();
  for (int i = 0; i < 3; ++i) job.compute();
  EXPECT_EQ(job.version(0), job.version(1));
  EXPECT_GE(job.version(1), 2u);
}

}  // namespace
}  // namespace carrack::train
