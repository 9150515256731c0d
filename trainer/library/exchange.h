// Where a worker's role and the program that computes its gradients meet: the role offers the rows of a batch and
// waits, the program takes them, and gives back the sums. The program uses this from one thread at a time, the role
// from another.
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

  // What the program has to compute. It may use all of it after its push, except `gradient` and
  // `parameters`.
  struct Work {
    StepRows rows;
    SharedFloats parameters;
    std::shared_ptr<Floats> gradient;  // zeros, for the program to fill
  };
  // How the role has ended, with the words of a failure.
  struct Ended {
    Exit exit = Exit::succeeded;
    std::string text;
  };
  struct Nothing {};
  // What sum_over() throws once the program has called leave().
  struct ProgramLeft : std::exception {};

  // The program has so long to take the rows of a batch and to push their sums.
  explicit Exchange(Clock::duration compute_within) : compute_within_(compute_within) {}

  // Of RowGradients, for the role. Throws Error, with Blame::platform, if the program takes too long.
  Sum sum_over(const StepRows& of, const SharedFloats& parameters) override;
  bool waits_for_program() const override { return true; }
  void stop() override;
  // To be called once the role has ended; work that the program has is then of no use. Returns whether it has ended
  // because the program took too long.
  bool end(Ended ended);
  // Whether the program calls next(), push() or leave() within this time after the end of the role.
  bool is_noticed_within(Clock::duration time);
  // nullopt while the role runs. Any thread may call this.
  std::optional<Ended> ended();

  // For the program. Waits until there is work, the role has ended or the program has left, but not longer than until
  // `deadline`. The program must have pushed the work before. A program that has left finds a role that still runs
  // ended as Exit::drained.
  std::variant<Work, Ended, Nothing> next(Clock::time_point deadline);
  // Gives back the sums of the work that next() has returned last. Without effect if the role waits for it no longer.
  void push(double loss);
  // The program computes nothing any more. Any thread may call this.
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
