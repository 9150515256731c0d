// bench_comm [shm|tls] BYTES SECONDS [WORKERS]: prints how many times a second a worker, or each of several, pushes a
// gradient of so many bytes to its parameter server, which takes a step of SGD, and has the new parameters; behind it
// what rounds.h says.
//
// The state machines and the transport are those of a job in Sync, with one process for each role, over TCP, with
// `tls` encrypted, or with `shm` over shared memory, and the server reports each step to a coordinator. There are no
// data and no model: a worker that has parameters copies a gradient that is always the same. That is not measured, as a
// model writes its gradient, too.
#include <cmath>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/machine/heap.h"
#include "dataloader/machine/limits.h"
#include "tests/bench/rounds.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/comm/protocol/worker.h"
#include "trainer/comm/transport/member_endpoint.h"
#include "trainer/launch/overloaded.h"

namespace carrack::train {
namespace {

using bench::Clock;
using ServesAt = std::function<void(const std::string&)>;

constexpr const char* job = "bench";
constexpr auto tick_every = std::chrono::milliseconds(50);

EndpointLimits limits(std::size_t bytes) {
  const FrameLimits both{.control_bytes = std::size_t{1} << 20, .tail_bytes = bytes};
  return {.accepted = both, .opened = both};
}

const std::string shm_prefix = "shm:";
bool over_shared_memory = false;
bool encrypts = false;

// Where a process listens.
std::string own_address() {
  if (!over_shared_memory) return "127.0.0.1:0";
  return shm_prefix +
         (std::filesystem::temp_directory_path() / ("carrack-bench-" + std::to_string(::getpid()))).string();
}

// The only start of a member.
MemberStart start(Role role, int index = 0) {
  return {{role, index}, {1, 1}};
}

ExpectedMember expected(Role role) {
  return {start(role).member, start(role).fence};
}

Identity identity(Role role, int index = 0) {
  return {std::make_shared<const Key>("the key of the run of bench comm"), start(role, index), "", encrypts};
}

void log(const std::string& line) {
  bench::give_up(line);
}

wire::Hello hello(wire::Role role, const std::string& address, int index = 0) {
  wire::Hello hello;
  hello.set_index(static_cast<std::uint32_t>(index));
  hello.set_job_uid(job);
  hello.set_attempt(1);
  hello.set_incarnation(1);
  hello.set_role(role);
  hello.set_address(address);
  hello.set_protocol(protocol_number);
  return hello;
}

// Opens a stream to the coordinator.
PeerId join(Endpoint& endpoint, const std::string& coordinator, wire::Hello hello) {
  const PeerId peer = endpoint.connect(coordinator, expected(Role::coordinator));
  wire::Message message;
  *message.mutable_hello() = std::move(hello);
  endpoint.send(peer, std::move(message));
  return peer;
}

// Passes events to the state machine of a member, and its commands to `carry_out`.
template <class Machine, class CarryOut>
void handle_events(Inbox& inbox, Machine& machine, const CarryOut& carry_out) {
  inbox.handle_all(Clock::now() + tick_every, [&](Event& event) {
    if (auto* arrived = std::get_if<Arrived>(&event)) {
      if (arrived->part.message->has_refused()) bench::give_up(arrived->part.message->refused().reason());
      carry_out(machine.received(arrived->from, std::move(arrived->part)));
    } else if (std::holds_alternative<Closed>(event)) {
      bench::give_up("a stream has ended: " + std::get<Closed>(event).why);
    }
  });
}

class BenchCoordinator {
 public:
  BenchCoordinator(int workers, const ServesAt& serves_at) : coordinator_(settings(workers), {}) {
    serves_at(endpoint_.listen(own_address()));
  }

  void run() {
    while (true) {
      carry_out(coordinator_.tick(Clock::now()));
      inbox_.handle_all(Clock::now() + tick_every, [this](Event& event) {
        if (const auto* arrived = std::get_if<Arrived>(&event)) {
          carry_out(coordinator_.received(arrived->from, *arrived->part.message, Clock::now()));
        } else if (const auto* closed = std::get_if<Closed>(&event)) {
          carry_out(coordinator_.closed(closed->peer));
        }
      });
    }
  }

 private:
  void carry_out(Commands commands) {
    visit_each(commands, [this](auto& one) { act(one); });
  }
  void act(SendTo& send) { endpoint_.send(send.peer, std::move(send.message)); }
  void act(const Disconnect& disconnect) { endpoint_.close(disconnect.peer); }
  void act(const WriteCommit&) { bench::give_up("a commit is due"); }
  void act(const EndProcess&) { bench::give_up("the job has ended"); }

  static CoordinatorSettings settings(int workers) {
    CoordinatorSettings settings;
    settings.job_uid = job;
    settings.attempt = 1;
    settings.incarnation = 1;
    settings.lanes = 1;
    settings.workers_max = settings.lanes_dealt = static_cast<std::uint32_t>(workers);
    settings.total_batches = std::nullopt;           // There is no last one, and so no cut.
    settings.silence_limit = std::chrono::hours(1);  // No member says that it is alive.
    return settings;
  }

  Inbox inbox_;
  MemberEndpoint endpoint_{inbox_, identity(Role::coordinator), limits(0), log};
  Coordinator coordinator_;
};

class BenchServer {
 public:
  BenchServer(const std::string& coordinator, std::size_t bytes, int workers, const ServesAt& serves_at)
      : size_(bytes / sizeof(float)),
        threads_(static_cast<int>(std::ceil(data::cpus_of_this_process()))),
        server_({.job_uid = job,
                 .attempt = 1,
                 .incarnation = 1,
                 .workers_max = static_cast<std::uint32_t>(workers),
                 .training = {.batch = 1, .lanes = 1, .optimizer = Sgd{.learning_rate = bench::rate}},
                 .parts = {UpdatePart{.range = {0, static_cast<std::int64_t>(size_)}}},
                 .threads = &threads_}),
        endpoint_(inbox_, identity(Role::ps), limits(bytes), log) {
    const std::string address = endpoint_.listen(own_address());
    server_.coordinator_is(join(endpoint_, coordinator, hello(wire::PS, address)));
    serves_at(address);
  }

  void run() {
    while (true) handle_events(inbox_, server_, [this](auto all) { carry_out(std::move(all)); });
  }

 private:
  void carry_out(ParameterServer::Commands commands) {
    visit_each(commands, [this](auto& one) { act(one); });
  }
  void act(ParameterServer::Send& send) { endpoint_.send(send.peer, std::move(send.message), std::move(send.tail)); }
  void act(const ParameterServer::Disconnect&) { bench::give_up("the server refuses the worker"); }
  void act(const ParameterServer::BeginLoad& load) {
    ShardState state;
    state.parameters = std::make_shared<const Floats>(size_, 0.0f);
    carry_out(server_.loaded(load.from.timeline(), std::move(state)));
  }
  void act(const ParameterServer::BeginSave&) { bench::give_up("a save is due"); }

  std::size_t size_;
  Inbox inbox_;
  cpu::ThreadPool threads_;
  ParameterServer server_;
  MemberEndpoint endpoint_;
};

class BenchWorker {
 public:
  // One without `rounds` goes on without end.
  BenchWorker(const std::string& coordinator, std::size_t bytes, int index, bench::Rounds* rounds)
      : index_(index),
        size_(bytes / sizeof(float)),
        gradient_(size_),
        rounds_(rounds),
        worker_(true, 1, {{0, size_}}, size_),
        endpoint_(inbox_, identity(Role::worker, index), limits(bytes), log) {
    for (std::size_t i = 0; i < size_; ++i) gradient_[i] = bench::gradient_at(i);
    worker_.coordinator_is(join(endpoint_, coordinator, hello(wire::WORKER, "", index)));
  }

  // Returns once enough rounds are measured and the parameters are those that the rounds must give.
  void run() {
    while (!done_) handle_events(inbox_, worker_, [this](auto all) { carry_out(std::move(all)); });
  }

 private:
  void carry_out(Worker::Commands commands) {
    visit_each(commands, [this](auto& one) { act(one); });
  }
  void act(const Worker::Connect& connect) {
    const PeerId peer = endpoint_.connect(connect.address, expected(Role::ps));
    wire::Message message;
    *message.mutable_hello() = hello(wire::WORKER, "", index_);
    message.mutable_hello()->mutable_to()->set_index(connect.server);
    message.mutable_hello()->mutable_to()->set_incarnation(connect.incarnation);
    endpoint_.send(peer, message);
    carry_out(worker_.connected(connect.server, peer));
  }
  void act(const Worker::Disconnect&) { bench::give_up("the worker leaves the server"); }
  void act(Worker::Send& send) { endpoint_.send(send.peer, std::move(send.message), std::move(send.tail)); }
  void act(const Worker::Leave&) { bench::give_up("the worker leaves"); }
  void act(const Worker::Compute& compute) {
    if (rounds_ != nullptr && compute.batch > 0) rounds_->end();
    if (rounds_ != nullptr && rounds_->enough()) return finish(compute.batch);
    auto sum = std::make_shared<Floats>(gradient_);
    if (rounds_ != nullptr) rounds_->begin();
    carry_out(worker_.computed({Gradient{.lanes = compute.lanes, .sum = std::move(sum), .records = 1}}));
  }

  void finish(std::uint64_t rounds) {
    const SharedFloats parameters = worker_.parameters();
    for (std::size_t i = 0; i < size_; ++i) {
      if ((*parameters)[i] != bench::parameter_after(rounds, i)) bench::give_up("the parameters are wrong");
    }
    done_ = true;
  }

  int index_;
  std::size_t size_;
  Floats gradient_;
  bench::Rounds* rounds_;
  bool done_ = false;
  Inbox inbox_;
  Worker worker_;
  MemberEndpoint endpoint_;
};

void measure(std::size_t bytes, double seconds, int workers) {
  bench::Child coordinator([&](const ServesAt& serves_at) { BenchCoordinator(workers, serves_at).run(); });
  bench::Child server(
      [&](const ServesAt& serves_at) { BenchServer(coordinator.address(), bytes, workers, serves_at).run(); });
  std::vector<pid_t> pids{coordinator.pid(), server.pid()};
  std::vector<std::unique_ptr<bench::Child>> others;
  for (int index = 1; index < workers; ++index) {
    others.push_back(std::make_unique<bench::Child>([&](const ServesAt& serves_at) {
      serves_at("nobody connects to a worker");
      BenchWorker(coordinator.address(), bytes, index, nullptr).run();
    }));
    pids.push_back(others.back()->pid());
  }
  bench::Rounds rounds(bytes, seconds, pids);
  BenchWorker worker(coordinator.address(), bytes, 0, &rounds);
  worker.run();
  rounds.print();
  ::kill(server.pid(), SIGSTOP);  // It would say that a worker has ended.
  for (const auto& other : others) other->end();
  server.end();  // before it sees that the worker ends
  coordinator.end();
  if (!over_shared_memory) return;
  for (const bench::Child* listener : {&server, &coordinator})
    std::filesystem::remove(listener->address().substr(shm_prefix.size()));
}

}  // namespace
}  // namespace carrack::train

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string transport = arguments.empty() ? "" : arguments.front();
  carrack::train::over_shared_memory = transport == "shm";
  carrack::train::encrypts = transport == "tls";
  if (transport == "shm" || transport == "tls") arguments.erase(arguments.begin());
  if (arguments.size() != 2 && arguments.size() != 3) {
    std::fputs("usage: bench_comm [shm|tls] BYTES SECONDS [WORKERS]\n", stderr);
    return 2;
  }
  carrack::data::use_one_heap();  // as the trainer does
  carrack::train::measure(std::stoul(arguments[0]), std::stod(arguments[1]),
                          arguments.size() == 3 ? std::stoi(arguments[2]) : 1);
  return 0;
}
