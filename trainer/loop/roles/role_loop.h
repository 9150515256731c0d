// RoleLoop: the interface of a running role (coordinator, parameter server or worker). run() (role.h) passes it the
// events of its inbox and calls tick() again and again, until exit() returns a value:
//   while (true) { role.tick(); if (role.exit()) return; for each new event of the inbox: role.handle(event); }
// A process has one role. With strategy Single it has all three, and one thread runs them in turn (one_process.h).
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
#include "trainer/loop/roles/watchdog.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// Not thread-safe. handle() and tick() throw what run() throws.
class RoleLoop {
 public:
  virtual ~RoleLoop() = default;

  // Handles an event of the role's inbox: a frame that arrived, a stream that ended or a task of the role itself. May
  // move the content of the event away.
  virtual void handle(Event& event) = 0;
  // Does what is due by time, such as opening a stream again. Call it when all events in the inbox are handled, and at
  // least every `tick_every`.
  virtual void tick() = 0;
  // Returns how the role has ended; nullopt while it runs. After its end, call none of its functions, and destroy it.
  virtual std::optional<Exit> exit() const = 0;
  // Call this before the destructor if another role of the same process has failed with an Error, which ends the
  // process.
  virtual void other_has_failed() {}
};

// The maximum time between two calls of tick().
constexpr auto tick_every = std::chrono::milliseconds(50);

// How a role communicates, between processes or within this process, and what watches that its work ends. `inbox` and
// `watchdog` must outlive the role.
struct RoleConnections {
  Inbox& inbox;
  // Makes an endpoint (the role's streams to other roles) whose events go into `inbox`. Called only while the role is
  // opened.
  std::function<std::unique_ptr<Endpoint>(const EndpointLimits&)> new_endpoint;
  Watchdog& watchdog;
};

// A role that is ready to run, not null; or an Exit if it ended before that, for example by a shutdown request.
using OpenedRole = std::variant<std::shared_ptr<RoleLoop>, Exit>;

// Make the role of this process. A coordinator or worker first opens the job's data, which may take long: it builds
// missing indexes. `launch` and `context` must outlive the role. Throw Error or data::Error for a failure that ends the
// process.
OpenedRole open_coordinator(const Launch& launch, const RoleContext& context, const RoleConnections& connections);
OpenedRole open_server(const Launch& launch, const RoleContext& context, const RoleConnections& connections);
OpenedRole open_worker(const Launch& launch, const RoleContext& context, const RoleConnections& connections);

}  // namespace carrack::train
