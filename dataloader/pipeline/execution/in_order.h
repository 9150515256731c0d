// InOrder: runs jobs, such as "read and parse the next 500 rows", on a pool of threads ahead of the caller, and returns
// their results in the order of the jobs. Streams (sequence_stream.h) use it to keep all CPUs busy. The number and the
// bytes of results that wait for the caller are bounded. Used by one thread at a time.
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

// How far ahead of the caller jobs run. A job counts from its start until next() returns its result. The limit in bytes
// is approximate: once a result has been returned, at most bytes / (size of the largest result so far) jobs run ahead,
// but at least two.
struct AheadLimits {
  std::uint64_t bytes = std::uint64_t{256} << 20;  // maximum of all results together
  unsigned results = 0;                            // maximum number of results; 0: 2 * threads + 1
  // True: next() returns any result that is ready, in any order. InOrder::state() is then meaningless.
  bool unordered = false;
  // With `stop` each result is cut at its first lost row, a row that cannot be used (cut_at_first_lost() in rows.h).
  // After such a result, state() is the position before it, so a reader that is restored fails at the same row.
  OnDamage on_damage = OnDamage::stop;
};

class InOrder {
 public:
  struct Job {
    // Called at most once, by any worker thread. May throw. It must own what it uses, since it may run after the
    // InOrder is gone.
    std::function<Rows()> work;
    StateWriter state;  // the position after this job
  };
  // Returns the next job, or nullopt at the end. Must not be empty. Called only within next(), on the thread that calls
  // it, and not again after it has returned nullopt or thrown.
  using Jobs = std::function<std::optional<Job>()>;

  // The workers must outlive this object. The destructor does not wait for jobs that were started: they may still run
  // after it, so they must not refer to this object or to its owner.
  InOrder(Workers& workers, AheadLimits limits, Jobs jobs);

  // Returns the result of the next job; nullopt after the last. Blocks until the result is ready. Throws what the job
  // threw, or what `jobs` threw instead of making it. Do not call next() again after it has thrown, because it would
  // skip the failed job, or after a result that is cut (Rows::is_cut).
  std::optional<Rows> next();
  // The Job::state of the result that next() returned last, or of the result before it if that one is cut. Before the
  // first next(): what set_state() has set, by default empty. Unspecified for unordered results.
  const StateWriter& state() const { return state_; }
  // Sets what state() returns until the first next(): the position before the first job.
  void set_state(StateWriter state) { state_ = std::move(state); }

 private:
  struct Result;
  struct Shared;  // what running jobs use; may outlive this object

  void start_jobs();
  std::size_t results_allowed() const;

  Workers& workers_;
  const AheadLimits limits_;
  const Jobs jobs_;
  std::shared_ptr<Shared> shared_;
  std::deque<std::shared_ptr<Result>> pending_;  // in the order of the jobs
  StateWriter state_;
  bool ended_ = false;               // There are no more jobs to start.
  std::uint64_t largest_bytes_ = 0;  // size of the largest result so far
};

// Returns about how many bytes of memory the values, strings and origins of the rows take.
std::uint64_t bytes_of(const Rows& rows);

}  // namespace carrack::data
