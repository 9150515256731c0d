// Where a worker's role meets the program that computes its gradients. The role offers the rows of a batch and waits;
// the program takes the rows and pushes the sums. The functions may be called on several threads, but sum_over() by one
// thread at a time, and next() and push() by one thread at a time.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <variant>

#include "dataloader/mutex.h"
#include "trainer/launch/exit.h"
#include "trainer/loop/roles/row_gradients.h"

namespace carrack::train {

class Exchange final : public RowGradients {
 public:
  using Clock = std::chrono::steady_clock;

  // What the program has to compute. It may use `rows` after its push, but not `gradient` or `parameters`.
  struct Work {
    StepRows rows;
    SharedFloats parameters;
    std::shared_ptr<Floats> gradient;  // zeros, for the program to fill
  };
  // How the role has ended. `text` is the message of a failure; empty if it has not failed.
  struct Ended {
    Exit exit = Exit::succeeded;
    std::string text;
  };
  struct Nothing {};  // neither work nor an end by the deadline
  // Thrown by sum_over() once the program has called leave(). Not an Error.
  struct ProgramLeft : std::exception {};

  // `compute_within` is the time that the program has to take the rows of a batch and to push their sums.
  explicit Exchange(Clock::duration compute_within) : compute_within_(compute_within) {}

  // For the role: see RowGradients. Throws Error with Blame::platform if the program takes too long or stop() was
  // called, and ProgramLeft after leave().
  Sum sum_over(const StepRows& of, const SharedFloats& parameters) override;
  bool waits_for_program() const override { return true; }
  // For the role. Any thread may call it, also while sum_over() waits on another one.
  void stop() override;
  // For the role. Call this once it has ended. Work that the program still has is dropped. Returns true if the role has
  // ended because the program took too long.
  bool end(Ended ended);
  // For the role, after end(). Waits until the program calls next() or push() after the end, or leave() at any time.
  // Returns false if it has not within `time`.
  bool is_noticed_within(Clock::duration time);
  // Returns how the role has ended; nullopt while it runs. Any thread may call it.
  std::optional<Ended> ended();

  // For the program. Waits until there is work, the role has ended or the program has left, but at most until
  // `deadline`. The program must have pushed its last work. After leave(), returns Ended with Exit::drained if the role
  // has not ended yet.
  std::variant<Work, Ended, Nothing> next(Clock::time_point deadline);
  // For the program. Declares that the gradient of the last work that next() returned is complete; `loss` is the sum of
  // its records' losses. No effect if the role does not wait for it any more.
  void push(double loss);
  // Declares that the program will compute nothing more. Any thread may call it.
  void leave();

 private:
  enum class State { idle, offered, taken, pushed };

  const Clock::duration compute_within_;
  Mutex mutex_;
  ConditionVariable changed_;
  State state_ GUARDED_BY(mutex_) = State::idle;
  std::optional<Work> work_ GUARDED_BY(mutex_);
  double loss_ GUARDED_BY(mutex_) = 0;
  bool stopped_ GUARDED_BY(mutex_) = false;
  bool left_ GUARDED_BY(mutex_) = false;
  bool hung_ GUARDED_BY(mutex_) = false;
  bool noticed_ GUARDED_BY(mutex_) = false;
  std::optional<Ended> ended_ GUARDED_BY(mutex_);
};

}  // namespace carrack::train
