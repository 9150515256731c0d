// Runs jobs on worker threads ahead of the caller that takes their results, and returns the results in the order of the
// jobs. The number and the bytes of results that wait are bounded. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "dataloader/pipeline/execution/workers.h"
#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/pipeline/rows/state.h"

namespace carrack::data {

// Limits of the results that wait for the caller. The limit in bytes is approximate: the largest result so far, times
// the number of results, is compared with it. At least two jobs run ahead once the size of a result is known.
struct AheadLimits {
  std::uint64_t bytes = std::uint64_t{256} << 20;  // of results that next() has not returned yet
  unsigned results = 0;                            // the most at once; 0: twice the number of threads plus 1
  // True: next() returns any result that is ready, in any order. There is no state then, since it is not known which
  // results came.
  bool unordered = false;
  // With `stop` each result is cut at its first lost row (cut_at_first_lost). A result that is cut does not move the
  // state, so a reading that is restored from it fails at the same place.
  OnDamage on_damage = OnDamage::stop;
};

class InOrder {
 public:
  struct Job {
    std::function<Rows()> work;  // called once, by any thread
    StateWriter state;           // the position after this job
  };
  // Returns the next job, or nullopt at the end. Called only within next(), on the thread that calls it, and not again
  // after it has returned nullopt or thrown.
  using Jobs = std::function<std::optional<Job>()>;

  // The workers must outlive this object.
  InOrder(Workers& workers, AheadLimits limits, Jobs jobs);

  // Returns the result of the next job; nullopt after the last. Throws what the job, or making it, threw.
  std::optional<Rows> next();
  // The position after the result that next() returned last, or before it if that is cut. Undefined for unordered
  // results.
  const StateWriter& state() const { return state_; }
  // Sets what state() returns before the first next().
  void set_state(StateWriter state) { state_ = std::move(state); }

 private:
  struct Result;
  struct Shared;  // with jobs that may still run when this object is destroyed

  void start_jobs();
  std::size_t results_allowed() const;

  Workers& workers_;
  const AheadLimits limits_;
  const Jobs jobs_;
  std::shared_ptr<Shared> shared_;
  std::deque<std::shared_ptr<Result>> pending_;  // in the order of the jobs
  StateWriter state_;
  bool ended_ = false;               // There are no more jobs to start.
  std::uint64_t largest_bytes_ = 0;  // of the largest result until now
};

// About how many bytes of memory the values, strings and origins of the rows take.
std::uint64_t bytes_of(const Rows& rows);

}  // namespace carrack::data
