#include <algorithm>
#include <map>

#include "trainer/comm/protocol/worker.h"
#include "trainer/launch/overloaded.h"
#include "trainer/loop/roles/background.h"
#include "trainer/loop/roles/frame_limits.h"
#include "trainer/loop/roles/gradients.h"
#include "trainer/loop/roles/membership.h"
#include "trainer/loop/roles/model_gradients.h"
#include "trainer/loop/roles/processors.h"
#include "trainer/loop/roles/role.h"
#include "trainer/loop/roles/role_loop.h"
#include "trainer/loop/roles/worker_alive.h"
#include "trainer/loop/setup/memory.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto connect_again_after = std::chrono::milliseconds(100);
// After a shutdown request, a worker waits at most this long for the servers to apply its current step. Then it leaves
// in any case, and waits at most as long again until its last messages to the coordinator are sent.
constexpr auto leave_within = std::chrono::seconds(2);
// While a worker computes gradients it waits longer, because all of that work would be lost.
constexpr auto finish_computing_within = std::chrono::seconds(15);
static_assert(finish_computing_within + 2 * leave_within < worker_leaves_within);
// After a step that took at most this time, the worker computes the next one on the thread that handles events. Passing
// it to another thread and back would take a large part of the step.
constexpr auto short_step = std::chrono::milliseconds(5);
// How long the thread that handles events waits for the records of such a step, if they are being read ahead.
constexpr auto short_wait = std::chrono::milliseconds(2);

class WorkerRole final : public RoleLoop {
 public:
  WorkerRole(const Launch& launch, const RoleContext& context, const RoleConnections& connections,
             std::unique_ptr<const Setup> setup, TrainingData data, std::shared_ptr<RowGradients> rows)
      : setup_(std::move(setup)),
        gradients_(*setup_, std::move(data), launch.config.training, std::move(rows), connections.watchdog),
        worker_(launch.config.training.consistency == Consistency::sync, launch.config.training.lanes,
                server_ranges(*setup_), static_cast<std::size_t>(setup_->layout.size())),
        shutdown_requested_(context.shutdown_requested),
        hello_(hello_from(launch, "")),
        inbox_(connections.inbox),
        own_endpoint_(connections.new_endpoint(worker_limits(*setup_))),
        membership_(
            endpoint_, launch.addresses.coordinator, launch.fence.attempt,
            [this, order = gradients_.data().order(),
             leases = static_cast<std::uint32_t>(1 + gradients_.data().batches_ahead_max())] {
              wire::Hello hello = hello_;
              hello.mutable_held()->set_order(order);
              hello.set_leases(leases);
              *hello.mutable_alive() = alive_.say_now();
              return hello;
            },
            [this] { return alive_.take(); }),
        background_(connections.inbox) {}
  // Ends the wait for a user's program that is still computing. This worker would not push its gradients any more.
  ~WorkerRole() override { gradients_.stop(); }

  void handle(Event& event) override {
    if (exit_) return;
    if (left_) {
      const auto* closed = std::get_if<Closed>(&event);
      if (closed != nullptr && membership_.closed(closed->peer)) exit_ = Exit::drained;
      return;
    }
    const auto exit = handle_as_member(event, membership_, worker_, [this](auto all) { carry_out(std::move(all)); });
    if (exit) exit_ = exit;
    note_activity();
  }

  void tick() override {
    if (exit_) return;
    if (!left_) join_and_connect();
    leave_if_requested();
    note_activity();
    note_links();
  }

  std::optional<Exit> exit() const override { return exit_; }

 private:
  // A server to which the worker opens a stream, and opens another one when that ends.
  struct Link {
    std::string address;
    std::uint32_t incarnation = 0;
    PeerId peer = 0;                       // the last stream; 0 before the first
    std::optional<Clock::time_point> due;  // when to open the next stream; nullopt: not due
  };

  static std::vector<ServerRange> server_ranges(const Setup& setup) {
    std::vector<ServerRange> all;
    for (const Range range : setup.ranges) {
      all.push_back({static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())});
    }
    return all;
  }

  ExpectedMember expected(std::uint32_t server, const Link& link) const {
    return {{Role::ps, static_cast<int>(server)},
            {static_cast<int>(hello_.attempt()), static_cast<int>(link.incarnation)}};
  }

  void join_and_connect() {
    const Clock::time_point now = Clock::now();
    if (const PeerId peer = membership_.join_if_due(now)) worker_.coordinator_is(peer);
    for (auto& [server, link] : links_) {
      if (!link.due || *link.due > now) continue;
      link.due.reset();
      // A test can arm this point (trainer/points.h). The worker then connects to no address, which fails as if the
      // server could not be reached.
      const bool fails = fails_at("worker.connect." + std::to_string(server));
      link.peer = endpoint_.connect(fails ? "" : link.address, expected(server, link));
      wire::Message message;
      wire::Hello& hello = *message.mutable_hello();
      hello = hello_;
      // Another server may have this address by now. It refuses the stream if it is not the server named here.
      hello.mutable_to()->set_index(server);
      hello.mutable_to()->set_incarnation(link.incarnation);
      endpoint_.send(link.peer, message);
      carry_out(worker_.connected(server, link.peer));
    }
  }

  void note_activity() { alive_.does(worker_.doing(), Clock::now()); }

  void note_links() {
    const Clock::time_point now = Clock::now();
    for (const auto& [server, link] : links_) {
      alive_.link(server, link.incarnation, endpoint_.is_open(link.peer), now);
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

  void carry_out(Worker::Commands commands) {
    visit_each(commands, [this](auto& one) { act(one); });
  }

  void act(const Worker::Connect& connect) {
    Link& link = links_[connect.server];
    const bool again = link.address == connect.address;
    link = {.address = connect.address,
            .incarnation = connect.incarnation,
            .due = Clock::now() + (again ? connect_again_after : Clock::duration::zero())};
  }
  void act(const Worker::Disconnect& disconnect) { endpoint_.cancel(disconnect.peer); }
  void act(Worker::Send& send) { endpoint_.send(send.peer, std::move(send.message), std::move(send.tail)); }
  void act(const Worker::Leave&) {
    left_ = true;
    leave_by_ = Clock::now() + leave_within;
    if (membership_.peer() == 0) exit_ = Exit::drained;
    endpoint_.close(membership_.peer());  // its Closed event shows that all frames were sent
  }
  void act(const Worker::Compute& compute) {
    is_computing_ = true;
    note_activity();
    if (leave_by_) leave_by_ = Clock::now() + finish_computing_within;  // a worker that leaves computes one more step
    auto job = [this, compute]() -> std::function<void()> {
      const Clock::time_point began = Clock::now();
      auto result = gradients_.compute(compute, worker_.parameters());
      return [this, took = Clock::now() - began, result = std::move(result)]() mutable {
        step_took_ = took;
        computed(std::move(result));
      };
    };
    if (is_short(compute)) {
      inbox_.put(Task{job()});
    } else {
      background_.run(std::move(job));
    }
  }

  // True if the step should be computed on this thread, which handles no events meanwhile. For that the records must
  // have been read, and the last step must have been so short that passing the work to another thread and back would
  // take a large part of it.
  bool is_short(const Worker::Compute& compute) const {
    if (gradients_.waits_for_program() || step_took_ > short_step) return false;
    const data::Range lanes{static_cast<std::uint64_t>(compute.lanes.begin),
                            static_cast<std::uint64_t>(compute.lanes.end)};
    return gradients_.data().wait_until_read({compute.batch, lanes, compute.lanes_in_batch}, Clock::now() + short_wait);
  }

  void computed(std::variant<std::vector<Gradient>, JobEnded> result) {
    is_computing_ = false;
    // The long wait was for the computing. From here on the worker waits only until the servers have applied the step.
    if (leave_by_) leave_by_ = std::min(*leave_by_, Clock::now() + leave_within);
    if (const auto* job = std::get_if<JobEnded>(&result)) return carry_out(worker_.ended(job->steps));
    carry_out(worker_.computed(std::get<std::vector<Gradient>>(std::move(result))));
  }

  std::unique_ptr<const Setup> setup_;
  LaneGradients gradients_;  // used only by the computing thread while is_computing_
  WorkerAlive alive_{gradients_.data(), gradients_.waits_for_program()};
  Worker worker_;
  std::function<bool()> shutdown_requested_;
  wire::Hello hello_;
  Inbox& inbox_;
  std::unique_ptr<Endpoint> own_endpoint_;
  Endpoint& endpoint_ = *own_endpoint_;
  Membership membership_;
  std::map<std::uint32_t, Link> links_;  // by index of the server
  std::optional<Clock::time_point> leave_by_;
  bool is_computing_ = false;
  Clock::duration step_took_ = Clock::duration::max();  // duration of the last step, including the wait for its records
  bool left_ = false;
  std::optional<Exit> exit_;
  Background background_;  // last: its job uses all of the above
};

std::shared_ptr<RowGradients> rows_for(const Launch& launch, const RoleContext& context, const Setup& setup,
                                       const TrainingData& data) {
  if (context.program) return context.program;
  const auto rows = static_cast<std::int64_t>(data.batch_records_max());
  return std::make_shared<ModelGradients>(setup, choose_processors(launch, setup, context, rows),
                                          launch.config.training.seed, static_cast<int>(context.cpus),
                                          context.storages);
}

}  // namespace

OpenedRole open_worker(const Launch& launch, const RoleContext& context, const RoleConnections& connections) {
  auto setup = std::make_unique<const Setup>(setup_from(launch.config));
  std::optional<JobData> found = open_data_as_worker(launch, *setup, context);
  if (!found) return Exit::drained;
  TrainingData data(*std::move(found), launch, *setup, context);
  require_worker_fits(*setup, launch.config, process_size(context, data.batch_records_max()));
  auto rows = rows_for(launch, context, *setup, data);
  return std::make_shared<WorkerRole>(launch, context, connections, std::move(setup), std::move(data), std::move(rows));
}

}  // namespace carrack::train
