// A role as seen by the thread that runs it. A process has one role; with strategy Single it has all three, and one
// thread runs them in turn.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/frame_limits.h"
#include "trainer/comm/transport/inbox.h"
#include "trainer/launch/exit.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// Not thread-safe. A failure that ends the process is thrown as Error.
class RoleLoop {
 public:
  virtual ~RoleLoop() = default;

  // Handles an event of the role's inbox.
  virtual void handle(Event& event) = 0;
  // Does what is due. Call it when all events in the inbox are handled, and again within `tick_every`.
  virtual void tick() = 0;
  // How the role has ended, after which it must be destroyed; nullopt if it has not ended.
  virtual std::optional<Exit> exit() const = 0;
};

constexpr auto tick_every = std::chrono::milliseconds(50);

// How a role is reached, and reaches others.
struct RoleConnections {
  Inbox& inbox;
  // Makes an endpoint whose events go into `inbox`.
  std::function<std::unique_ptr<Endpoint>(const EndpointLimits&)> new_endpoint;
};

// A role that is ready to run, or how the role ended before that.
using OpenedRole = std::variant<std::shared_ptr<RoleLoop>, Exit>;

// These take as long as opening the job's data takes, if the role needs data. All arguments must outlive the role,
// except `connections` itself.
OpenedRole open_coordinator(const Launch& launch, const RoleContext& context, const RoleConnections& connections);
OpenedRole open_server(const Launch& launch, const RoleContext& context, const RoleConnections& connections);
OpenedRole open_worker(const Launch& launch, const RoleContext& context, const RoleConnections& connections);

}  // namespace carrack::train
