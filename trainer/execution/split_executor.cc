#include "trainer/execution/split_executor.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <variant>

#include "trainer/error.h"
#include "trainer/kernels/device.h"
#include "trainer/kernels/rounding.h"
#include "trainer/kernels/sums.h"

namespace carrack::train {
namespace {

template <class T>
std::span<T> elements_of(std::span<T> all, Range part) {
  return all.subspan(static_cast<std::size_t>(part.begin), static_cast<std::size_t>(part.size()));
}

// Returns the values of the records `part` of `rows` records.
FeatureValues values_of(const FeatureValues& values, std::int64_t rows, Range part) {
  if (rows == 0) return values;
  return std::visit(
      [&](auto all) -> FeatureValues {
        const std::int64_t size = std::ssize(all) / rows;
        return elements_of(all, {part.begin * size, part.end * size});
      },
      values);
}

// Returns the draws for the rows `part` of the run. A row then draws the same random numbers in any division into
// parts.
Draws draws_of(Draws draws, Range part) {
  draws.first_row += static_cast<std::uint64_t>(part.begin);
  if (!draws.rows.empty()) draws.rows = elements_of(draws.rows, part);
  return draws;
}

// A division of the rows of a run into parts. A branch is what one processor computes: branch i computes the parts from
// i * parts_per_branch() to (i + 1) * parts_per_branch(), one after the other.
class Parts {
 public:
  // The lanes (shares of a batch) end at `ends`, which is empty if there are none. With lanes, branches and parts are
  // subtrees of the tree of lanes of equal size, so their numbers are powers of two.
  Parts(std::int64_t rows, std::span<const std::int64_t> ends, std::size_t branches, std::int64_t rows_max)
      : rows_(rows), ends_(ends) {
    if (ends.empty()) {
      branches_ = std::clamp<std::int64_t>(rows / 2, 1, static_cast<std::int64_t>(branches));
      count_ = branches_ * std::max<std::int64_t>(1, divided_up(rows, branches_ * rows_max));
    } else {
      branches_ = static_cast<std::int64_t>(std::bit_floor(std::min(branches, ends.size())));
      count_ = branches_;
      while (rows_of_largest() > rows_max && count_ < std::ssize(ends)) count_ *= 2;
      if (rows_of_largest() > rows_max) {
        throw Error(Blame::bug, "SplitExecutor: a lane has more rows than planned for");
      }
    }
  }

  bool has_lanes() const { return !ends_.empty(); }
  std::int64_t branches() const { return branches_; }
  std::int64_t parts_per_branch() const { return count_ / branches_; }

  Range rows_of(std::int64_t part) const {
    if (!has_lanes()) return equal_part(rows_, count_, part);
    const auto end_of = [&](std::int64_t lanes) { return lanes == 0 ? 0 : ends_[static_cast<std::size_t>(lanes) - 1]; };
    return {end_of(part * lanes_of_part()), end_of((part + 1) * lanes_of_part())};
  }

  // Returns the ends of the lanes of a part, counted from its first row. Empty without lanes.
  std::vector<std::int64_t> lane_ends_of(std::int64_t part) const {
    std::vector<std::int64_t> ends;
    if (!has_lanes()) return ends;
    const std::int64_t first = part * lanes_of_part(), begin = rows_of(part).begin;
    for (const std::int64_t end : elements_of(ends_, {first, first + lanes_of_part()})) ends.push_back(end - begin);
    return ends;
  }

  std::int64_t rows_of_largest() const {
    if (!has_lanes()) return equal_part(rows_, count_, 0).size();
    std::int64_t most = 0;
    for (std::int64_t part = 0; part < count_; ++part) most = std::max(most, rows_of(part).size());
    return most;
  }

 private:
  std::int64_t lanes_of_part() const { return std::ssize(ends_) / count_; }

  std::int64_t rows_;
  std::span<const std::int64_t> ends_;
  std::int64_t branches_ = 1, count_ = 1;
};

}  // namespace

// The arguments of a run.
struct SplitExecutor::Call {
  std::span<const float> parameters;
  std::span<const FeatureValues> inputs;
  std::int64_t rows;
  const RunOptions& options;
  const Parts& parts;
};

// Computes the parts of a run that belong to one processor, one after the other, and adds up their gradients.
class SplitExecutor::Branch {
 public:
  explicit Branch(Executor executor) : executor_(std::move(executor)) {}

  // Writes the sum of the gradients of parts [begin, end) to `sum`.
  void run(const Call& call, std::int64_t begin, std::int64_t end, std::span<float> sum) {
    has_parameters_ = false;
    if (call.parts.has_lanes()) {
      loss_ = along_tree(call, begin, end, sum, 0);
      return;
    }
    loss_ = run_part(call, begin, sum);
    for (std::int64_t part = begin + 1; part < end; ++part) {
      const std::span<float> more = buffer(0, sum.size());
      loss_ += run_part(call, part, more);
      cpu::accumulate(sum, more);
    }
  }

  std::span<float> own_sum(std::size_t size) {
    own_sum_.resize(size);
    return own_sum_;
  }
  float& loss() { return loss_; }

 private:
  // Writes the sum of the gradients of parts [begin, end), added along the tree of lanes, to `sum`. Returns the loss.
  // `level` is the number of buffers that the callers already use.
  float along_tree(const Call& call, std::int64_t begin, std::int64_t end, std::span<float> sum, std::size_t level) {
    if (end - begin == 1) return run_part(call, begin, sum);
    const std::int64_t middle = (begin + end) / 2;
    const float loss = along_tree(call, begin, middle, sum, level);
    const std::span<float> more = buffer(level, sum.size());
    const float more_loss = along_tree(call, middle, end, more, level + 1);
    cpu::accumulate(sum, more);
    return loss + more_loss;
  }

  float run_part(const Call& call, std::int64_t part, std::span<float> sum) {
    const Range rows = call.parts.rows_of(part);
    std::vector<FeatureValues> inputs;
    for (const FeatureValues& values : call.inputs) inputs.push_back(values_of(values, call.rows, rows));
    const std::vector<std::int64_t> ends = call.parts.lane_ends_of(part);
    const RunOptions options{.lane_ends = ends,
                             .draws = draws_of(call.options.draws, rows),
                             .same_parameters = std::exchange(has_parameters_, true)};
    return executor_.run(call.parameters, inputs, rows.size(), sum, options);
  }

  std::span<float> buffer(std::size_t level, std::size_t size) {
    if (buffers_.size() == level) buffers_.emplace_back();
    buffers_[level].resize(size);
    return buffers_[level];
  }

  Executor executor_;
  bool has_parameters_ = false;  // true once the executor has the parameters of the current run
  float loss_ = 0;
  std::vector<float> own_sum_;               // used by all branches but the first, which writes to the result
  std::vector<std::vector<float>> buffers_;  // sums that are not added yet
};

SplitExecutor::SplitExecutor(Gradients gradients, Layout layout, RowsAtOnce rows_at_once,
                             std::span<const Processor> processors, cpu::ThreadPool* threads)
    : gradients_(std::move(gradients)),
      layout_(std::move(layout)),
      rows_(rows_at_once),
      processors_(processors.begin(), processors.end()),
      threads_(threads),
      branch_threads_(static_cast<int>(processors.size())) {
  if (processors.empty()) throw Error(Blame::bug, "SplitExecutor: there is no processor");
  rows_.max = std::max<std::int64_t>(1, rows_.max);  // also if the data has no records
  make_branches();
}

SplitExecutor::~SplitExecutor() = default;

// Makes all branches, with memory for rows_.planned rows.
void SplitExecutor::make_branches() {
  branches_.clear();  // first, because there may be no memory for old and new branches together
  while (branches_.size() < processors_.size()) {
    cpu::ThreadPool* const threads = branches_.empty() ? threads_ : nullptr;
    const Processor processor = processors_[branches_.size()];
    try {
      branches_.push_back(std::make_unique<Branch>(Executor(gradients_, layout_, rows_.planned, threads, processor)));
    } catch (const cuda::NoRoom&) {
      halve_or_rethrow(rows_.planned);
    }
  }
}

// Called in a handler of NoRoom: a GPU had no memory for parts of `rows` rows. Halves the size of parts, or rethrows
// the exception if they have the minimum size.
void SplitExecutor::halve_or_rethrow(std::int64_t rows) {
  if (rows <= rows_.min) throw;
  rows_.max = std::max(rows_.min, rows / 2);
  rows_.planned = rows_.max;
  branches_.clear();
}

float SplitExecutor::run(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows,
                         std::span<float> gradient_sum, const RunOptions& options) {
  options.lane_ends.require(rows);
  while (true) {
    const Parts parts(rows, options.lane_ends.in_rows(), processors_.size(), rows_.max);
    try {
      if (parts.rows_of_largest() > rows_.planned || branches_.size() < processors_.size()) {
        rows_.planned = std::max(rows_.planned, parts.rows_of_largest());
        make_branches();
        if (rows_.planned < parts.rows_of_largest()) continue;
      }
      return run({parameters, inputs, rows, options, parts}, gradient_sum);
    } catch (const cuda::NoRoom&) {
      halve_or_rethrow(parts.rows_of_largest());
    }
  }
}

float SplitExecutor::run(const Call& call, std::span<float> gradient_sum) {
  const Parts& parts = call.parts;
  const std::span used = std::span(branches_).first(static_cast<std::size_t>(parts.branches()));
  std::vector<std::span<float>> sums{gradient_sum};
  for (const auto& branch : used.subspan(1)) sums.push_back(branch->own_sum(gradient_sum.size()));
  branch_threads_.run(static_cast<int>(used.size()), [&](int i) {
    const auto number = static_cast<std::size_t>(i);
    used[number]->run(call, i * parts.parts_per_branch(), (i + 1) * parts.parts_per_branch(), sums[number]);
  });
  // Calls function(i, j) to add the sum of branch j to that of branch i, along the tree.
  const auto add_up = [&](const auto& function) {
    for (std::size_t step = 1; step < used.size(); step *= 2) {
      for (std::size_t i = 0; i + step < used.size(); i += 2 * step) function(i, i + step);
    }
  };
  add_up([&](std::size_t i, std::size_t j) { used[i]->loss() += used[j]->loss(); });
  const std::int64_t size = std::ssize(gradient_sum);
  cpu::parallel_for(&branch_threads_, size, size * std::ssize(used), [&](Range range) {
    add_up([&](std::size_t i, std::size_t j) {
      cpu::accumulate(elements_of(sums[i], range), elements_of(sums[j], range));
    });
  });
  return used[0]->loss();
}

}  // namespace carrack::train
