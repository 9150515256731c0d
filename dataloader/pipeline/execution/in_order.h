// Runs jobs on worker threads ahead of the caller that takes their results, and returns these in the order of the jobs.
// How many results are held is bounded, in number and in bytes. Used by one thread at a time.
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

// The limit in bytes is approximate: it is compared with the largest result so far, times the number of results. At
// least two jobs run ahead in any case once a result is known.
struct AheadLimits {
  std::uint64_t bytes = std::uint64_t{256} << 20;  // of results that are not taken yet
  unsigned results = 0;                            // 0: two for each thread and one
  // True: results come as soon as they are ready. There is no state then, as it is not known which came.
  bool unordered = false;
  // `stop`: each result is cut at its first lost row (cut_at_first_lost). One that is cut does not move the state, so
  // that a reading restored from it fails at the same place.
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

  // The workers must outlive it.
  InOrder(Workers& workers, AheadLimits limits, Jobs jobs);

  // The result of the next job; nullopt after the last. Throws what the job, or making it, threw.
  std::optional<Rows> next();
  // The position after the result that next() returned last, and before it if that is cut.
  const StateWriter& state() const { return state_; }
  // Sets what state() returns before the first next().
  void set_state(StateWriter state) { state_ = std::move(state); }

 private:
  struct Result;
  struct Shared;  // with the workers' threads, which may run after this is destroyed

  void start_jobs();
  std::size_t results_allowed() const;

  Workers& workers_;
  const AheadLimits limits_;
  const Jobs jobs_;
  std::shared_ptr<Shared> shared_;
  std::deque<std::shared_ptr<Result>> pending_;  // in the order of the jobs
  StateWriter state_;
  bool ended_ = false;               // There are no more jobs.
  std::uint64_t largest_bytes_ = 0;  // of a result, until now
};

// About how much memory rows take.
std::uint64_t bytes_of(const Rows& rows);

}  // namespace carrack::data
