#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/error.h"
#include "trainer/launch/overloaded.h"
#include "trainer/loop/roles/background.h"
#include "trainer/loop/roles/frame_limits.h"
#include "trainer/loop/roles/membership.h"
#include "trainer/loop/roles/role_loop.h"
#include "trainer/loop/roles/watchdog.h"
#include "trainer/loop/setup/memory.h"
#include "trainer/loop/storage/shard_store.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

Range range_of(const Launch& launch, const Setup& setup) {
  return setup.ranges.at(static_cast<std::size_t>(launch.member.index));
}

// Returns the number of bytes that a server saves: its range of the parameters, and the optimizer's state for it.
std::uint64_t state_bytes(const Setup& setup, Range range) {
  const std::size_t tensors = 1 + state_names(setup.optimizer).size();
  return static_cast<std::uint64_t>(range.size()) * tensors * sizeof(float);
}

class ServerRole final : public RoleLoop {
 public:
  ServerRole(const Launch& launch, const RoleContext& context, const RoleConnections& connections, Setup setup)
      : setup_(std::move(setup)),
        store_(launch, setup_, context.storages),
        folder_(launch.config.checkpoint.folder),
        state_bytes_(state_bytes(setup_, range_of(launch, setup_))),
        watchdog_(connections.watchdog),
        threads_(static_cast<int>(context.cpus)),
        server_({.job_uid = launch.job_uid,
                 .attempt = static_cast<std::uint32_t>(launch.fence.attempt),
                 .index = static_cast<std::uint32_t>(launch.member.index),
                 .incarnation = static_cast<std::uint32_t>(launch.fence.incarnation),
                 .workers_max = static_cast<std::uint32_t>(launch.config.workers.max),
                 .training = launch.config.training,
                 .blocks = blocks(setup_.layout, range_of(launch, setup_)),
                 .parts = update_parts(launch.config.training.groups, setup_.layout, range_of(launch, setup_)),
                 .threads = &threads_}),
        own_endpoint_(connections.new_endpoint(server_limits(setup_, static_cast<std::size_t>(launch.member.index)))),
        address_(endpoint_.listen(launch.addresses.listen)),
        shutdown_requested_(context.shutdown_requested),
        membership_(endpoint_, launch.addresses.coordinator, launch.fence.attempt,
                    [this, hello = hello_from(launch, address_)]() mutable {
                      *hello.mutable_held() = server_.held();
                      return hello;
                    }),
        background_(connections.inbox) {}

  void handle(Event& event) override {
    if (exit_) return;
    exit_ = handle_as_member(event, membership_, server_, [this](auto all) { carry_out(std::move(all)); });
  }

  void tick() override {
    if (exit_) return;
    if (const PeerId peer = membership_.join_if_due(Clock::now())) server_.coordinator_is(peer);
    // The server ends immediately, because it has nothing to wait for. The operator ends servers only after the workers
    // have left and everything is committed, or to replace this server.
    if (shutdown_requested_()) exit_ = Exit::drained;
  }

  std::optional<Exit> exit() const override { return exit_; }

 private:
  void carry_out(ParameterServer::Commands commands) {
    visit_each(commands, [this](auto& one) { act(one); });
  }

  void act(ParameterServer::Send& send) { endpoint_.send(send.peer, std::move(send.message), std::move(send.tail)); }
  void act(const ParameterServer::Disconnect& disconnect) { endpoint_.close(disconnect.peer); }
  void act(const ParameterServer::BeginLoad& load) {
    background_.run([this, from = load.from]() -> std::function<void()> {
      Watchdog::Work work(watchdog_, limit_of_large_files("loading from " + store_.source_of(from), state_bytes_));
      return [this, timeline = from.timeline(), state = store_.load(from, [&] { work.goes_on(); })]() mutable {
        carry_out(server_.loaded(timeline, std::move(state)));
      };
    });
  }
  void act(ParameterServer::BeginSave& save) {
    // This copy of the state must be destroyed on the server's thread, as soon as it is saved. The server changes
    // values in place only while no copy of the state uses them (see ShardState).
    auto state = std::make_shared<std::optional<ShardState>>(std::move(save.state));
    background_.run([this, cut = save.cut, state]() -> std::function<void()> {
      Watchdog::Work work(watchdog_, limit_of_large_files("saving to " + folder_, state_bytes_));
      return [this, state, saved = store_.save(cut, **state, [&] { work.goes_on(); })] {
        state->reset();
        carry_out(server_.saved(saved));
      };
    });
  }

  const Setup setup_;
  ShardStore store_;
  const std::string folder_;
  const std::uint64_t state_bytes_;
  Watchdog& watchdog_;
  cpu::ThreadPool threads_;
  ParameterServer server_;
  std::unique_ptr<Endpoint> own_endpoint_;
  Endpoint& endpoint_ = *own_endpoint_;
  std::string address_;
  std::function<bool()> shutdown_requested_;
  Membership membership_;
  Background background_;
  std::optional<Exit> exit_;
};

}  // namespace

OpenedRole open_server(const Launch& launch, const RoleContext& context, const RoleConnections& connections) {
  Setup setup = setup_from(launch.config);
  require_server_fits(setup, launch.config, static_cast<std::size_t>(launch.member.index), process_size(context));
  return std::make_shared<ServerRole>(launch, context, connections, std::move(setup));
}

}  // namespace carrack::train
