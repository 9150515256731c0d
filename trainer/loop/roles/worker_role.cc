#include <algorithm>
#include <map>

#include "trainer/comm/protocol/worker.h"
#include "trainer/launch/overloaded.h"
#include "trainer/loop/roles/background.h"
#include "trainer/loop/roles/frame_limits.h"
#include "trainer/loop/roles/gradients.h"
#include "trainer/loop/roles/membership.h"
#include "trainer/loop/roles/role.h"
#include "trainer/loop/setup/memory.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto connect_again_after = std::chrono::milliseconds(100);
// How often to look whether a shutdown was requested, and whether to connect again.
constexpr auto poll_every = std::chrono::milliseconds(50);
// How long a worker waits, after a shutdown request, for servers to apply its current step; it then leaves at once. A
// worker that has left waits as long again for the coordinator to receive its last messages.
constexpr auto leave_within = std::chrono::seconds(2);
// It waits longer for gradients that it is computing, because all of that work would be lost.
constexpr auto finish_computing_within = std::chrono::seconds(15);

class WorkerRole {
 public:
  WorkerRole(const Launch& launch, const RoleContext& context, const Setup& setup, TrainingData data)
      : gradients_(setup, std::move(data), launch.config.training),
        worker_(launch.config.training.consistency == Consistency::sync, launch.config.training.lanes,
                server_ranges(setup), static_cast<std::size_t>(setup.layout.size())),
        shutdown_requested_(context.shutdown_requested),
        hello_(hello_from(launch, "")),
        endpoint_(inbox_, context.key, worker_limits(setup)),
        membership_(endpoint_, launch.addresses.coordinator,
                    [this, order = gradients_.data().order(),
                     leases = static_cast<std::uint32_t>(1 + gradients_.data().batches_ahead_max())] {
                      wire::Hello hello = hello_;
                      hello.mutable_held()->set_order(order);
                      hello.set_leases(leases);
                      return hello;
                    }),
        background_(inbox_) {}

  Exit run() {
    while (!exit_) {
      if (!left_) join_and_connect();
      if (std::optional<Event> event = inbox_.next(Clock::now() + poll_every)) handle(*event);
      leave_if_requested();
    }
    return *exit_;
  }

 private:
  struct Pending {
    Worker::Connect connect;
    Clock::time_point due;
  };

  static std::vector<ServerRange> server_ranges(const Setup& setup) {
    std::vector<ServerRange> all;
    for (const Range range : setup.ranges) {
      all.push_back({static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())});
    }
    return all;
  }

  void join_and_connect() {
    const Clock::time_point now = Clock::now();
    if (const PeerId peer = membership_.join_if_due(now)) worker_.coordinator_is(peer);
    for (auto one = pending_.begin(); one != pending_.end();) {
      if (one->second.due > now) {
        ++one;
        continue;
      }
      const auto [server, pending] = *one;
      one = pending_.erase(one);
      const PeerId peer = endpoint_.connect(pending.connect.address);
      wire::Message message;
      wire::Hello& hello = *message.mutable_hello();
      hello = hello_;
      // Another server may have the address by now, which then refuses this stream.
      hello.mutable_to()->set_index(server);
      hello.mutable_to()->set_incarnation(pending.connect.incarnation);
      endpoint_.send(peer, message);
      carry_out(worker_.connected(server, peer));
    }
  }

  void leave_if_requested() {
    if (exit_ || !shutdown_requested_()) return;
    if (!leave_by_) {
      leave_by_ = Clock::now() + (is_computing_ ? finish_computing_within : leave_within);
      carry_out(worker_.leave());
    } else if (Clock::now() >= *leave_by_) {
      if (left_) {
        exit_ = Exit::drained;
      } else {
        carry_out(worker_.leave_at_once());
      }
    }
  }

  void handle(Event& event) {
    if (left_) {
      const auto* closed = std::get_if<Closed>(&event);
      if (closed != nullptr && membership_.closed(closed->peer)) exit_ = Exit::drained;
      return;
    }
    const auto exit = handle_as_member(event, membership_, worker_, [this](const auto& all) { carry_out(all); });
    if (exit) exit_ = exit;
  }

  void carry_out(const Worker::Commands& commands) {
    visit_each(commands, [this](const auto& one) { act(one); });
  }

  void act(const Worker::Connect& connect) {
    const bool again = addresses_[connect.server] == connect.address;
    addresses_[connect.server] = connect.address;
    pending_[connect.server] = {connect, Clock::now() + (again ? connect_again_after : Clock::duration::zero())};
  }
  void act(const Worker::Disconnect& disconnect) { endpoint_.cancel(disconnect.peer); }
  void act(const Worker::Send& send) { endpoint_.send(send.peer, send.message, send.tail); }
  void act(const Worker::Leave&) {
    left_ = true;
    leave_by_ = Clock::now() + leave_within;
    if (membership_.peer() == 0) exit_ = Exit::drained;
    endpoint_.close(membership_.peer());  // Its Closed event says that all frames were sent.
  }
  // Reads and computes on a thread of its own, so that this one hears of other events meanwhile.
  void act(const Worker::Compute& compute) {
    is_computing_ = true;
    if (leave_by_) leave_by_ = Clock::now() + finish_computing_within;  // A worker that leaves computes one step more.
    background_.run([this, compute]() -> std::function<void()> {
      return [this, result = gradients_.compute(compute, worker_.parameters())] { computed(result); };
    });
  }

  void computed(const std::variant<std::vector<Gradient>, JobEnded>& result) {
    is_computing_ = false;
    // The step is pushed now, and applied as quickly as any other.
    if (leave_by_) leave_by_ = std::min(*leave_by_, Clock::now() + leave_within);
    if (const auto* job = std::get_if<JobEnded>(&result)) return carry_out(worker_.ended(job->steps));
    carry_out(worker_.computed(std::get<std::vector<Gradient>>(result)));
  }

  LaneGradients gradients_;  // of the thread of background_ once that runs
  Worker worker_;
  std::function<bool()> shutdown_requested_;
  wire::Hello hello_;
  Inbox inbox_;
  Endpoint endpoint_;
  Membership membership_;
  std::map<std::uint32_t, std::string> addresses_;  // by server
  std::map<std::uint32_t, Pending> pending_;        // connections to open, by server
  std::optional<Clock::time_point> leave_by_;
  bool is_computing_ = false;
  bool left_ = false;
  std::optional<Exit> exit_;
  Background background_;  // last: its job uses all of the above
};

}  // namespace

Exit run_worker(const Launch& launch, const RoleContext& context) {
  const Setup setup = setup_from(launch.config);
  std::optional<JobData> found = open_data_as_worker(launch, setup, context);
  if (!found) return Exit::drained;
  TrainingData data(*std::move(found), launch, setup, context);
  require_worker_fits(setup, launch.config, data.batch_records_max(), context.memory);
  return WorkerRole(launch, context, setup, std::move(data)).run();
}

}  // namespace carrack::train
