#include "trainer/loop/roles/gradients.h"

#include <string>
#include <utility>

#include "trainer/loop/data/skipped_log.h"
#include "trainer/optimizer/gradient_norm.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

Skipped skipped_of(std::span<const data::Lost> lost) {
  if (lost.empty()) return {};
  return {lost.size(), damage_text(lost.front().why)};
}

}  // namespace

LaneGradients::LaneGradients(const Setup& setup, TrainingData data, const Training& training,
                             std::shared_ptr<RowGradients> rows, Watchdog& watchdog)
    : data_(std::move(data)),
      rows_(std::move(rows)),
      watchdog_(watchdog),
      size_(static_cast<std::size_t>(setup.layout.size())),
      training_(training),
      parts_(update_parts(training.groups, setup.layout, {0, setup.layout.size()})),
      blocks_(blocks(setup.layout, {0, setup.layout.size()})) {}

std::variant<std::vector<Gradient>, JobEnded> LaneGradients::compute(const Worker::Compute& compute,
                                                                     const SharedFloats& parameters) {
  const CrashPoint point("worker.compute");
  auto step_read = read(compute);
  if (const auto* ended = std::get_if<JobEnded>(&step_read)) return *ended;
  auto& step = std::get<TrainingData::Step>(step_read);
  const auto batch = std::make_shared<const data::Batch>(std::move(step.batch));
  const StepRows all_rows{compute.batch, batch, {0, batch->rows.count}};
  std::vector<Gradient> all;
  if (compute.lanes_in_batch != 0) {
    all.push_back(sum_over(all_rows, parameters));
    all.back().lanes = compute.lanes;
    all.back().skipped = skipped_of(batch->rows.lost);
  } else {
    for (const Subtree subtree : aligned_subtrees(compute.lanes)) {
      all.push_back(sum_of_subtree(all_rows, subtree, static_cast<std::size_t>(compute.lanes.begin), parameters));
    }
  }
  const bool has_norm = training_.consistency == Consistency::async && clips_by_norm(training_);
  for (Gradient& gradient : all) {
    gradient.first_pass = step.first_pass;
    if (!has_norm) continue;
    gradient.squares = squares_of(training_, parts_, blocks_, gradient.records, *gradient.sum);
  }
  return all;
}

// The watchdog notices a read that hangs in the only worker of a job, or in all workers. The coordinator notices one
// only if another worker is done.
std::variant<TrainingData::Step, JobEnded> LaneGradients::read(const Worker::Compute& compute) {
  Watchdog::Work work(watchdog_, limit_of_small_files("reading batch " + std::to_string(compute.batch)));
  const data::Range lanes{static_cast<std::uint64_t>(compute.lanes.begin),
                          static_cast<std::uint64_t>(compute.lanes.end)};
  return data_.read({compute.batch, lanes, compute.lanes_in_batch, compute.leases}, [&work] { work.goes_on(); });
}

// Returns the sum over the lanes of a subtree. With `deterministic` it is added lane by lane, so that its bits do not
// depend on the worker. `first_lane` is the number of the first lane that the batch has.
Gradient LaneGradients::sum_of_subtree(StepRows of, Subtree lanes, std::size_t first_lane,
                                       const SharedFloats& parameters) {
  const data::Batch& batch = *of.batch;
  const std::size_t begin = static_cast<std::size_t>(lanes.begin) - first_lane;
  const std::size_t end = begin + static_cast<std::size_t>(lanes.size);
  of.rows = {batch.lanes[begin].begin, batch.lanes[end - 1].end};
  std::vector<std::int64_t> ends;
  for (std::size_t lane = begin; training_.deterministic && lane < end; ++lane) {
    ends.push_back(static_cast<std::int64_t>(batch.lanes[lane].end - of.rows.begin));
  }
  of.lane_ends = ends;
  Gradient gradient = sum_over(of, parameters);
  gradient.lanes = {lanes.begin, lanes.begin + lanes.size};
  const data::Range lost{batch.lost[begin].begin, batch.lost[end - 1].end};
  gradient.skipped = skipped_of(std::span(batch.rows.lost).subspan(lost.begin, lost.size()));
  return gradient;
}

Gradient LaneGradients::sum_over(const StepRows& of, const SharedFloats& parameters) {
  // If all records of these lanes were left out, the sum is zeros. RowGradients must not compute it, because the batch
  // may then have no columns.
  if (of.rows.size() == 0) return {.lanes = {}, .sum = std::make_shared<Floats>(size_, 0.0f)};
  RowGradients::Sum sum = rows_->sum_over(of, parameters);
  return {.lanes = {}, .sum = std::move(sum.gradient), .records = of.rows.size(), .loss = sum.loss};
}

}  // namespace carrack::train
