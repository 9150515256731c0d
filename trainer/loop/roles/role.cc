#include "trainer/loop/roles/role.h"

#include <atomic>
#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "dataloader/check.h"
#include "dataloader/mutex.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

// A job with strategy Single: coordinator, parameter server and worker, each on a thread of this process with the
// process's fence. They communicate as they would between processes.
class OneProcess {
 public:
  OneProcess(const Launch& launch, const RoleContext& context) : launch_(launch), context_(context) {}

  Exit run() {
    {
      std::vector<std::jthread> threads;
      for (const Role role : {Role::coordinator, Role::ps, Role::worker}) {
        threads.emplace_back([this, role] { run(role); });
      }
    }
    const MutexLock lock(mutex_);
    CHECK(end_);
    if (const auto* failure = std::get_if<std::exception_ptr>(&*end_)) std::rethrow_exception(*failure);
    return std::get<Exit>(*end_);
  }

 private:
  using End = std::variant<Exit, std::exception_ptr>;

  void run(Role role) {
    try {
      const Exit exit = train::run(launch_of(role), context_of(role));
      // Server and worker end in order before the coordinator, which has yet to commit and to serve its last progress.
      if (role == Role::coordinator || (exit != Exit::succeeded && exit != Exit::drained)) end_with(exit);
    } catch (...) {
      end_with(std::current_exception());
    }
  }

  // The process ends as the first of them does.
  void end_with(End end) {
    const MutexLock lock(mutex_);
    if (!end_) end_ = std::move(end);
    ending_ = true;
  }

  RoleContext context_of(Role role) {
    RoleContext context = context_;
    context.report_drained = [this](bool drained) { drained_ = drained; };
    context.shutdown_requested = [this, role] { return ending_ || (may_leave(role) && context_.shutdown_requested()); };
    return context;
  }

  // In what order they leave if a shutdown is requested: the worker, then the coordinator once all is committed, for
  // which it needs the server.
  bool may_leave(Role role) const {
    switch (role) {
      case Role::coordinator:
        return drained_;
      case Role::ps:
        return false;
      case Role::worker:
        return true;
    }
    throw Error(Blame::bug, "no such role");
  }

  Launch launch_of(Role role) const {
    Launch launch = launch_;
    launch.config.strategy = Strategy::parameter_server;
    launch.config.ps = {1, 1};
    launch.member = {role, 0};
    // Abstract sockets vanish with the process, however it ends.
    const std::string sockets = "unix-abstract:carrack-" + context_.nonce + "-";
    launch.addresses.coordinator = sockets + std::string(spelled(Role::coordinator));
    launch.addresses.listen = sockets + std::string(spelled(role));
    return launch;
  }

  const Launch& launch_;
  const RoleContext& context_;
  std::atomic<bool> ending_ = false;
  std::atomic<bool> drained_ = false;
  Mutex mutex_;
  std::optional<End> end_ GUARDED_BY(mutex_);
};

}  // namespace

Exit run(const Launch& launch, const RoleContext& context) {
  if (launch.config.strategy == Strategy::single) return OneProcess(launch, context).run();
  switch (launch.member.role) {
    case Role::coordinator:
      return run_coordinator(launch, context);
    case Role::ps:
      return run_server(launch, context);
    case Role::worker:
      return run_worker(launch, context);
  }
  throw Error(Blame::bug, "no such role");
}

}  // namespace carrack::train
