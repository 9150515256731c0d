// OneProcess: runs a whole job with strategy Single, that is coordinator, one parameter server and one worker, in this
// process. The thread that calls run() runs the three roles in turn; a second thread opens the worker. Slow work of a
// role, such as gradients and saves, may run on a thread of that role. The roles exchange the same messages as in
// separate processes, but through memory (LocalHub). All have the fence (attempt and incarnation) of the process.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "trainer/comm/transport/local_endpoint.h"
#include "trainer/loop/roles/background.h"
#include "trainer/loop/roles/role_loop.h"
#include "trainer/loop/roles/watchdog.h"

namespace carrack::train {

class OneProcess {
 public:
  // `launch` and `context` must outlive this.
  OneProcess(const Launch& launch, const RoleContext& context);

  // Blocks until the job ends, has left after a shutdown request (context.shutdown_requested), or another process has
  // replaced this one, and returns which. Call it once. Throws Error or data::Error if a role fails.
  Exit run();

 private:
  struct Member {
    Member(OneProcess& process, Role role);

    Launch launch;
    RoleContext context;
    Inbox inbox;
    RoleConnections connections;
    std::shared_ptr<RoleLoop> loop;  // null until it is opened, and after it has ended
  };

  Launch launch_of(Role role) const;
  RoleContext context_of(Role role);
  std::function<bool()> shutdown_requested_of(Role role);

  void open_all();
  void end_early();
  void handle_events();
  void add(Member& member, OpenedRole opened);
  void tick(Member& member);
  void ended(Member& member, Exit exit);

  const Launch& launch_;
  const RoleContext& context_;
  std::atomic<bool> ending_ = false;
  // What the coordinator reported last. Before its first report there is nothing to commit.
  std::atomic<bool> drained_ = true;
  std::optional<Exit> end_;
  LocalHub hub_;
  Watchdog watchdog_;
  Watchdog::Work start_, start_of_worker_;  // of coordinator and server; of the worker, which another thread opens
  Watchdog::Work end_of_roles_;             // goes on while the roles are opened and run; destroyed after them
  std::shared_ptr<InboxGroup> inboxes_ = std::make_shared<InboxGroup>();
  Member coordinator_, server_, worker_;
  Inbox tasks_{inboxes_};
  Background background_{tasks_};  // last: opens the worker, and destroys members that have ended
};

}  // namespace carrack::train
