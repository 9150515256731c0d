// The C++ part of carrack_join() (library/carrack.h): runs a worker's role on a thread of its own, in the process of a
// user's program that computes the gradients. Call next(), push() and wait_for_end() from one thread at a time; any
// thread may call the other functions.
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
  // Reads the launch (the configuration with which the operator starts a worker) from the environment, and starts the
  // role. `compute_within` is the program's time for each batch. If the program takes longer, or if the thread of the
  // role hangs, the worker fails. If the program then calls none of next(), push() and leave() for 5 s, the process
  // ends with Exit::platform_error. Throws Error or data::Error if the role cannot be started; exit_for() (process.h)
  // returns the exit code for it.
  JoinedWorker(const Environment& environment, std::chrono::seconds compute_within);
  JoinedWorker(const JoinedWorker&) = delete;
  JoinedWorker& operator=(const JoinedWorker&) = delete;
  // The role must have ended; wait_for_end() does not guarantee that. The library therefore never destroys a worker.
  ~JoinedWorker() = default;

  // Where each tensor of the model is in the buffers of parameters and gradients.
  const Layout& layout() const { return layout_; }
  // The features of the records, which are the columns of a batch.
  const std::vector<Feature>& features() const { return features_; }

  // See Exchange::next() and Exchange::push().
  std::variant<Exchange::Work, Exchange::Ended, Exchange::Nothing> next(Exchange::Clock::time_point deadline) {
    return exchange_->next(deadline);
  }
  void push(double loss) { exchange_->push(loss); }

  // Requests that the worker leaves the job after its current batch, and returns immediately. A signal handler may call
  // it.
  void request_leave() { leave_requested_ = true; }
  // Requests that the worker leaves the job now: makes next() return immediately, and drops a batch that the program
  // has not pushed. Does not wait; see wait_for_end().
  void leave();
  // Waits until the thread of the role has ended, but at most for `time`; ended() shows whether it has.
  void wait_for_end(std::chrono::seconds time);
  std::optional<Exchange::Ended> ended() const { return exchange_->ended(); }  // nullopt while the role runs

 private:
  void run_role();
  void role_hangs(const std::string& text);

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
