// A worker's role on a thread of its own, for a program that computes the gradients. Call next(), push() and
// wait_for_end() from one thread at a time; any thread may call the other functions.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <variant>

#include "trainer/kernels/layout.h"
#include "trainer/launch/launch.h"
#include "trainer/library/exchange.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

class JoinedWorker {
 public:
  // Reads the launch and starts the role. `compute_within` is the program's time for each batch. If the program takes
  // longer, and then calls nothing for 5 s, the process ends with Exit::platform_error. Throws Error or data::Error,
  // for which exit_for() returns the exit code.
  JoinedWorker(const Environment& environment, std::chrono::seconds compute_within);
  JoinedWorker(const JoinedWorker&) = delete;
  JoinedWorker& operator=(const JoinedWorker&) = delete;
  // The role must have ended: wait_for_end() first.
  ~JoinedWorker() = default;

  // Where the tensors of the model are in the flat buffers.
  const Layout& layout() const { return layout_; }
  const std::vector<Feature>& features() const { return features_; }

  // next() and push() are those of Exchange for the program.
  std::variant<Exchange::Work, Exchange::Ended, Exchange::Nothing> next(Exchange::Clock::time_point deadline) {
    return exchange_->next(deadline);
  }
  void push(double loss) { exchange_->push(loss); }

  // Asks the role to leave. A signal handler may call it.
  void request_leave() { leave_requested_ = true; }
  // Asks the role to leave, and makes next() return immediately. If the role waits for the program, it ends without
  // that step.
  void leave();
  // Waits until the thread of the role has ended, but at most for `time`.
  void wait_for_end(std::chrono::seconds time);
  std::optional<Exchange::Ended> ended() const { return exchange_->ended(); }  // nullopt while the role runs

 private:
  void run_role();

  Launch launch_;
  Layout layout_;
  std::vector<Feature> features_;
  std::atomic<bool> leave_requested_ = false;
  std::shared_ptr<Exchange> exchange_;
  RoleContext context_;
  std::promise<void> over_;
  std::future<void> is_over_ = over_.get_future();
  std::jthread role_;  // last: it uses all of the above
};

}  // namespace carrack::train
