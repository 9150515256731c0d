// A role as seen by the thread that runs it. A process has one role; with strategy Single it has all three, and one
// thread runs them alternately.
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

// Not thread-safe. handle() and tick() throw Error or data::Error for a failure that ends the process.
class RoleLoop {
 public:
  virtual ~RoleLoop() = default;

  // Handles an event of the role's inbox.
  virtual void handle(Event& event) = 0;
  // Does what is due. Call it when all events in the inbox are handled, and again within `tick_every`.
  virtual void tick() = 0;
  // Returns how the role has ended, after which it must be destroyed; nullopt if it has not ended.
  virtual std::optional<Exit> exit() const = 0;
};

// The maximum time between two calls of tick().
constexpr auto tick_every = std::chrono::milliseconds(50);

// The way in which a role is reached, and reaches others.
struct RoleConnections {
  Inbox& inbox;
  // Makes an endpoint whose events go into `inbox`. Called only while the role is opened.
  std::function<std::unique_ptr<Endpoint>(const EndpointLimits&)> new_endpoint;
};

// A role that is ready to run; Exit if the role has ended before that.
using OpenedRole = std::variant<std::shared_ptr<RoleLoop>, Exit>;

// These open a role. They return once the job's data is open, if the role needs data. `launch`, `context` and
// connections.inbox must outlive the role. They throw Error or data::Error for a failure that ends the process.
OpenedRole open_coordinator(const Launch& launch, const RoleContext& context, const RoleConnections& connections);
OpenedRole open_server(const Launch& launch, const RoleContext& context, const RoleConnections& connections);
OpenedRole open_worker(const Launch& launch, const RoleContext& context, const RoleConnections& connections);

}  // namespace carrack::train
