#include "trainer/loop/roles/role.h"

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "trainer/error.h"

namespace carrack::train {
namespace {

// A job with strategy Single: coordinator, parameter server and worker, each on a thread of this process and with its
// fence, talk to each other as they would between processes.
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
    if (const auto* failure = std::get_if<std::exception_ptr>(&*end_)) std::rethrow_exception(*failure);
    return std::get<Exit>(*end_);
  }

 private:
  using End = std::variant<Exit, std::exception_ptr>;

  void run(Role role) {
    try {
      const Exit exit = train::run(launch_of(role), context_of(role));
      // The others succeed or leave before the coordinator, who has yet to tell whoever follows the job, or to commit.
      if (role == Role::coordinator || (exit != Exit::succeeded && exit != Exit::drained)) end_with(exit);
    } catch (...) {
      end_with(std::current_exception());
    }
  }

  // How the first of them ends is how the process does.
  void end_with(End end) {
    const std::lock_guard lock(mutex_);
    if (!end_) end_ = std::move(end);
    ending_ = true;
  }

  // Asked to leave, the worker does, and the coordinator once all is committed; the server is needed until then.
  RoleContext context_of(Role role) {
    RoleContext its = context_;
    its.drained = [this](bool drained) { drained_ = drained; };
    its.asked_to_leave = [this, role] {
      const bool ready = role == Role::worker || (role == Role::coordinator && drained_);
      return ending_ || (ready && context_.asked_to_leave());
    };
    return its;
  }

  Launch launch_of(Role role) const {
    Launch launch = launch_;
    launch.config.strategy = Strategy::parameter_server;
    launch.config.ps = {1, 1};
    launch.member = {role, 0};
    // Abstract: they are gone with the process, however it ends.
    const std::string sockets = "unix-abstract:carrack-" + context_.nonce + "-";
    launch.addresses.coordinator = sockets + std::string(spelled(Role::coordinator));
    launch.addresses.listen = sockets + std::string(spelled(role));
    return launch;
  }

  const Launch& launch_;
  const RoleContext& context_;
  std::atomic<bool> ending_ = false;
  std::atomic<bool> drained_ = false;
  std::mutex mutex_;
  std::optional<End> end_;
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
