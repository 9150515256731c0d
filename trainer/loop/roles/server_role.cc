#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/error.h"
#include "trainer/launch/overloaded.h"
#include "trainer/loop/roles/background.h"
#include "trainer/loop/roles/frame_limits.h"
#include "trainer/loop/roles/membership.h"
#include "trainer/loop/roles/role.h"
#include "trainer/loop/setup/memory.h"
#include "trainer/loop/storage/shard_store.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

// How often to look whether a shutdown was requested, and whether to join the coordinator again.
constexpr auto poll_every = std::chrono::milliseconds(50);

Range range_of(const Launch& launch, const Setup& setup) {
  return setup.ranges.at(static_cast<std::size_t>(launch.member.index));
}

class ServerRole {
 public:
  ServerRole(const Launch& launch, const RoleContext& context, const Setup& setup)
      : store_(launch, setup, context.storages),
        server_({.job_uid = launch.job_uid,
                 .attempt = static_cast<std::uint32_t>(launch.fence.attempt),
                 .index = static_cast<std::uint32_t>(launch.member.index),
                 .incarnation = static_cast<std::uint32_t>(launch.fence.incarnation),
                 .workers_max = static_cast<std::uint32_t>(launch.config.workers.max),
                 .training = launch.config.training,
                 .blocks = blocks(setup.layout, range_of(launch, setup)),
                 .parts = update_parts(launch.config.training.groups, setup.layout, range_of(launch, setup))}),
        endpoint_(inbox_, context.key, server_limits(setup, static_cast<std::size_t>(launch.member.index))),
        address_(endpoint_.listen(launch.addresses.listen)),
        shutdown_requested_(context.shutdown_requested),
        membership_(endpoint_, launch.addresses.coordinator,
                    [this, hello = hello_from(launch, address_)]() mutable {
                      *hello.mutable_held() = server_.held();
                      return hello;
                    }),
        background_(inbox_) {}

  Exit run() {
    while (!exit_) {
      if (const PeerId peer = membership_.join_if_due(Clock::now())) server_.coordinator_is(peer);
      if (std::optional<Event> event = inbox_.next(Clock::now() + poll_every)) {
        exit_ = handle_as_member(*event, membership_, server_, [this](const auto& all) { carry_out(all); });
      }
      // The operator ends servers after the workers and the commit, or replaces this one.
      if (shutdown_requested_()) exit_ = exit_.value_or(Exit::drained);
    }
    return *exit_;
  }

 private:
  void carry_out(const ParameterServer::Commands& commands) {
    visit_each(commands, [this](const auto& one) { act(one); });
  }

  void act(const ParameterServer::Send& send) { endpoint_.send(send.peer, send.message, send.tail); }
  void act(const ParameterServer::Disconnect& disconnect) { endpoint_.close(disconnect.peer); }
  void act(const ParameterServer::BeginLoad& load) {
    // Loads on this thread: a server has nothing else to do before it has loaded.
    carry_out(server_.loaded(load.from.timeline(), store_.load(load.from)));
  }
  void act(const ParameterServer::BeginSave& save) {
    // The state is given up on this thread, as ShardState says, and as soon as it is saved.
    auto state = std::make_shared<std::optional<ShardState>>(save.state);
    background_.run([this, cut = save.cut, state]() -> std::function<void()> {
      return [this, state, saved = store_.save(cut, **state)] {
        state->reset();
        carry_out(server_.saved(saved));
      };
    });
  }

  ShardStore store_;
  ParameterServer server_;
  Inbox inbox_;
  Endpoint endpoint_;
  std::string address_;
  std::function<bool()> shutdown_requested_;
  Membership membership_;
  Background background_;
  std::optional<Exit> exit_;
};

}  // namespace

Exit run_server(const Launch& launch, const RoleContext& context) {
  const Setup setup = setup_from(launch.config);
  require_server_fits(setup, static_cast<std::size_t>(launch.member.index), context.memory);
  return ServerRole(launch, context, setup).run();
}

}  // namespace carrack::train
