#include "trainer/loop/roles/one_process.h"

#include <utility>
#include <variant>

#include "trainer/error.h"

namespace carrack::train {

OneProcess::Member::Member(OneProcess& process, Role role)
    : launch(process.launch_of(role)),
      context(process.context_of(role)),
      inbox(process.inboxes_),
      connections{inbox, [this, &process](const EndpointLimits&) { return process.hub_.new_endpoint(inbox); },
                  process.watchdog_} {}

OneProcess::OneProcess(const Launch& launch, const RoleContext& context)
    : launch_(launch),
      context_(context),
      watchdog_(context.report_hang, context.watchdog_second),
      start_(watchdog_, limit_of_start()),
      start_of_worker_(watchdog_, limit_of_start()),
      end_of_roles_(watchdog_, limit_of_end()),
      coordinator_(*this, Role::coordinator),
      server_(*this, Role::ps),
      worker_(*this, Role::worker) {}

Launch OneProcess::launch_of(Role role) const {
  Launch launch = launch_;
  launch.config.strategy = Strategy::parameter_server;
  launch.config.ps = {1, 1};
  launch.member = {role, 0};
  launch.addresses.coordinator = spelled(Role::coordinator);
  launch.addresses.listen = spelled(role);
  return launch;
}

RoleContext OneProcess::context_of(Role role) {
  RoleContext context = context_;
  context.one_process = true;
  context.report_drained = [this](bool drained) { drained_ = drained; };
  context.shutdown_requested = shutdown_requested_of(role);
  Watchdog::Work& start = role == Role::worker ? start_of_worker_ : start_;
  context.goes_on = [this, &start] {
    start.goes_on();
    end_of_roles_.goes_on();
  };
  return context;
}

// After a shutdown request the worker leaves first. The coordinator leaves once everything is committed. The server
// never leaves by itself, because the coordinator needs it until then.
std::function<bool()> OneProcess::shutdown_requested_of(Role role) {
  switch (role) {
    case Role::coordinator:
      return [this] { return drained_ && context_.shutdown_requested(); };
    case Role::ps:
      return [] { return false; };
    case Role::worker:
      return [this] { return ending_ || context_.shutdown_requested(); };
  }
  throw Error(Blame::bug, "no such role");
}

Exit OneProcess::run() {
  try {
    open_all();
    start_.end();
    Watchdog::Work messages(watchdog_, limit_of_messages());
    while (!end_) {
      messages.goes_on();
      end_of_roles_.goes_on();
      for (Member* member : {&coordinator_, &server_, &worker_}) tick(*member);
      if (!end_) handle_events();
    }
  } catch (const Error&) {
    end_early();
    if (coordinator_.loop) coordinator_.loop->other_has_failed();
    throw;
  } catch (...) {
    end_early();
    throw;
  }
  ending_ = true;
  return *end_;
}

void OneProcess::end_early() {
  ending_ = true;
  start_.end();  // the destructor may wait for the start of the worker
}

void OneProcess::handle_events() {
  inboxes_->wait_until(std::chrono::steady_clock::now() + tick_every);
  for (Event& event : tasks_.take_all()) std::get<Task>(event).run();
  // The coordinator is in the list twice. While the server or the worker does long work, messages to the coordinator
  // arrive. If it did not handle them before its next tick(), it would consider their senders silent.
  for (Member* member : {&coordinator_, &server_, &worker_, &coordinator_}) {
    for (Event& event : member->inbox.take_all()) {
      if (member->loop) member->loop->handle(event);
    }
  }
}

// Opens the worker on another thread while this thread opens the coordinator. Each of them builds a part of the missing
// indexes or of the snapshot. The worker may also have to wait until the coordinator has claimed the checkpoint folder.
void OneProcess::open_all() {
  background_.run([this]() -> std::function<void()> {
    try {
      OpenedRole opened = open_worker(worker_.launch, worker_.context, worker_.connections);
      start_of_worker_.end();
      return [this, opened = std::move(opened)]() mutable { add(worker_, std::move(opened)); };
    } catch (...) {
      start_of_worker_.end();  // run() throws this failure once the coordinator is opened, which may take long
      throw;
    }
  });
  add(coordinator_, open_coordinator(coordinator_.launch, coordinator_.context, coordinator_.connections));
  if (!end_) add(server_, open_server(server_.launch, server_.context, server_.connections));
}

void OneProcess::add(Member& member, OpenedRole opened) {
  if (const auto* exit = std::get_if<Exit>(&opened)) return ended(member, *exit);
  member.loop = std::get<std::shared_ptr<RoleLoop>>(std::move(opened));
}

void OneProcess::tick(Member& member) {
  if (!member.loop) return;
  member.loop->tick();
  if (const std::optional<Exit> exit = member.loop->exit()) ended(member, *exit);
}

// Called when a role has ended. The worker and the server may succeed or be drained before the coordinator, which still
// has to commit. The process ends when the coordinator ends, or when another role ends in any other way.
void OneProcess::ended(Member& member, Exit exit) {
  if (&member == &coordinator_ || (exit != Exit::succeeded && exit != Exit::drained)) {
    if (!end_) end_ = exit;
    return;
  }
  if (!member.loop) return;
  // The member's destructor waits for what the member computes or saves. So it runs in the background, and this thread
  // continues to run the coordinator.
  background_.run([loop = std::move(member.loop)]() mutable -> std::function<void()> {
    loop.reset();
    return [] {};
  });
}

}  // namespace carrack::train
