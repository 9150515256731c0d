// A worker's role on a thread of its own, for a program that computes the gradients. next(), push() and wait_for_end()
// are for one thread at a time.
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
  // Reads the launch, and starts the role. The program has `compute_within` for each batch; if it takes longer and then
  // calls nothing, the process ends. Throws Error and data::Error as the main of a process gets them.
  JoinedWorker(const Environment& environment, std::chrono::seconds compute_within);
  JoinedWorker(const JoinedWorker&) = delete;
  JoinedWorker& operator=(const JoinedWorker&) = delete;
  // The role must have ended.
  ~JoinedWorker() = default;

  // Where the tensors of the model are in the buffers.
  const Layout& layout() const { return layout_; }
  const std::vector<Feature>& features() const { return features_; }

  // As of Exchange.
  std::variant<Exchange::Work, Exchange::Ended, Exchange::Nothing> next(Exchange::Clock::time_point deadline) {
    return exchange_->next(deadline);
  }
  void push(double loss) { exchange_->push(loss); }

  // Safe in a signal handler.
  void request_leave() { leave_requested_ = true; }
  // Lets the role end, in order unless it waits for the program, and next() return at once.
  void leave();
  // Waits for the thread of the role, but not longer than `time`.
  void wait_for_end(std::chrono::seconds time);
  // nullopt while the role runs.
  std::optional<Exchange::Ended> ended() const { return exchange_->ended(); }

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
