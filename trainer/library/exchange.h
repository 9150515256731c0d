// Passes batches from a worker's role to the user's program, and gradients back, for a model of kind Own. Both run in
// one process. The role reads the records and talks to the parameter servers; the program computes the gradients, by
// the C functions of library/carrack.h. For each batch:
//   role: sum_over() blocks   ->   program: next() returns the batch, the program fills the gradient and calls push()
//                             ->   role: sum_over() returns the gradient
// Any thread may call the functions, but sum_over() one thread at a time, and next() and push() one thread at a time.
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
  // How the worker's role has ended. `text` is the message of a failure; empty if it has not failed.
  struct Ended {
    Exit exit = Exit::succeeded;
    std::string text;
  };
  struct Nothing {};  // next(): there was neither work nor an end until the deadline
  // Thrown by sum_over() once the program has called leave(). Not an Error.
  struct ProgramLeft : std::exception {};

  // `compute_within` is the time that the program has from the call of sum_over() until its push().
  explicit Exchange(Clock::duration compute_within) : compute_within_(compute_within) {}

  // For the role: offers the rows to the program, and blocks until it has pushed their gradient. Throws Error with
  // Blame::platform if the program takes longer than `compute_within` or stop() was called, and ProgramLeft after
  // leave().
  Sum sum_over(const StepRows& of, const SharedFloats& parameters) override;
  bool waits_for_program() const override { return true; }
  // For the role: makes sum_over() throw, also one that waits on another thread, and all later calls.
  void stop() override;
  // For the thread that runs the role, after the role has ended, and for the watchdog if that thread hangs: next() then
  // returns `ended`; a second call has no effect. Returns true if the program exceeded `compute_within` in a
  // sum_over().
  bool end(Ended ended);
  // For the same threads, after end(). Waits until the program calls next() or push(), which shows that it does not
  // hang, or has called leave(). Returns false if it has not within `time`.
  bool wait_until_noticed(Clock::duration time);
  // Returns how the role has ended; nullopt while it runs. Any thread may call it.
  std::optional<Ended> ended();

  // For the program. Waits for the next batch, but at most until `deadline`. Returns Ended if the role has ended, and
  // after leave() also before that, as Exit::drained. Each later call returns the same Ended. The program must have
  // pushed its last work.
  std::variant<Work, Ended, Nothing> next(Clock::time_point deadline);
  // For the program. Declares that the gradient of the last work from next() is complete; `loss` is the sum of its
  // records' losses. The gradient is dropped if the role does not wait for it any more.
  void push(double loss);
  // For the program. Declares that it will compute nothing more. A batch that it has not pushed is dropped.
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
  std::optional<Ended> end_of_next_ GUARDED_BY(mutex_);  // the first that next() has returned
};

}  // namespace carrack::train
