// Runs jobs on workers, some ahead of whoever takes their results, and gives the results in the order of the jobs. What
// is held ready is bounded, in number and by a budget of bytes.
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

struct AheadLimits {
  std::uint64_t bytes = std::uint64_t{256} << 20;  // that results may hold which nobody took yet
  unsigned results = 0;                            // 0: a few more than there are threads
  // Results come as they are ready: where it goes on is then not known, and there is no state.
  bool sloppy = false;
};

class InOrder {
 public:
  struct Job {
    std::function<Rows()> work;
    StateWriter state;  // of the pipeline behind it
  };
  // The next job; nothing at the end, which also comes behind what it throws. Called by next() alone.
  using Jobs = std::function<std::optional<Job>()>;

  // The workers must outlive it.
  InOrder(Workers& workers, AheadLimits limits, Jobs jobs);

  // What a job throws is thrown here, in its turn.
  std::optional<Rows> next();
  // Behind the last result that was taken.
  const StateWriter& state() const { return state_; }
  void restored(StateWriter state) { state_ = std::move(state); }

 private:
  struct Shared;  // with the workers
  struct Pending;

  void top_up();
  std::size_t allowed() const;

  Workers& workers_;
  const AheadLimits limits_;
  const Jobs jobs_;
  std::shared_ptr<Shared> shared_;
  std::deque<std::shared_ptr<Pending>> pending_;
  StateWriter state_;
  bool ended_ = false;
  std::uint64_t largest_ = 0;  // bytes of a result
};

// About how much memory rows take.
std::uint64_t bytes_of(const Rows& rows);

}  // namespace carrack::data
