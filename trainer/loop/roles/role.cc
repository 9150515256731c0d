#include "trainer/loop/roles/role.h"

#include "trainer/comm/transport/member_endpoint.h"
#include "trainer/error.h"
#include "trainer/loop/roles/one_process.h"
#include "trainer/loop/roles/role_loop.h"
#include "trainer/loop/roles/watchdog.h"

namespace carrack::train {
namespace {

OpenedRole open(const Launch& launch, const RoleContext& context, const RoleConnections& connections) {
  switch (launch.member.role) {
    case Role::coordinator:
      return open_coordinator(launch, context, connections);
    case Role::ps:
      return open_server(launch, context, connections);
    case Role::worker:
      return open_worker(launch, context, connections);
  }
  throw Error(Blame::bug, "no such role");
}

}  // namespace

Exit run(const Launch& launch, const RoleContext& context) {
  if (launch.config.strategy == Strategy::single) return OneProcess(launch, context).run();
  Watchdog watchdog(context.report_hang, context.watchdog_second);
  // `end_of_role` goes on while the role is opened and runs, and is destroyed after it.
  Watchdog::Work start(watchdog, limit_of_start()), end_of_role(watchdog, limit_of_end());
  RoleContext watched = context;
  watched.goes_on = [&start, &end_of_role] {
    start.goes_on();
    end_of_role.goes_on();
  };
  Inbox inbox;
  Identity identity{context.key, {launch.member, launch.fence}};
  identity.encrypts = launch.config.security.tls;
  if (launch.member.role == Role::coordinator) identity.address = launch.addresses.coordinator;
  const OpenedRole opened = open(launch, watched,
                                 {inbox,
                                  [&](const EndpointLimits& limits) {
                                    return std::make_unique<MemberEndpoint>(inbox, identity, limits, context.log);
                                  },
                                  watchdog});
  if (const auto* exit = std::get_if<Exit>(&opened)) return *exit;
  start.end();
  RoleLoop& role = *std::get<std::shared_ptr<RoleLoop>>(opened);
  Watchdog::Work messages(watchdog, limit_of_messages());
  while (true) {
    messages.goes_on();
    end_of_role.goes_on();
    role.tick();
    if (const auto exit = role.exit()) return *exit;
    inbox.handle_all(std::chrono::steady_clock::now() + tick_every, [&](Event& event) { role.handle(event); });
  }
}

}  // namespace carrack::train
