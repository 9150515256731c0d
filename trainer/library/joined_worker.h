// A worker's role on a thread of its own, for a program that computes the gradients. Call next(), push() and
// wait_for_end() from one thread at a time.
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
  // Reads the launch and starts the role. `compute_within` is the program's time for each batch; if it takes longer,
  // and then calls nothing for 5 s, the process ends. Throws Error or data::Error, for which exit_for() gives the exit
  // code.
  JoinedWorker(const Environment& environment, std::chrono::seconds compute_within);
  JoinedWorker(const JoinedWorker&) = delete;
  JoinedWorker& operator=(const JoinedWorker&) = delete;
  // The role must have ended before.
  ~JoinedWorker() = default;

  // Where the tensors of the model are in the flat buffers.
  const Layout& layout() const { return layout_; }
  const std::vector<Feature>& features() const { return features_; }

  // As in Exchange.
  std::variant<Exchange::Work, Exchange::Ended, Exchange::Nothing> next(Exchange::Clock::time_point deadline) {
    return exchange_->next(deadline);
  }
  void push(double loss) { exchange_->push(loss); }

  // Asks the role to leave. Safe in a signal handler.
  void request_leave() { leave_requested_ = true; }
  // Asks the role to leave, and makes next() return at once. If the role waits for the program, it ends without its
  // step.
  void leave();
  // Waits for the thread of the role, but not longer than `time`.
  void wait_for_end(std::chrono::seconds time);  // Waits for the end of the role, at most for `time`.
  // nullopt while the role runs.
  std::optional<Exchange::Ended> ended() const { return exchange_->ended(); }  // nullopt while the role runs.

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
