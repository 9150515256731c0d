#include "trainer/loop/roles/gradients.h"

#include <algorithm>
#include <cmath>

#include "trainer/comm/protocol/diverged.h"
#include "trainer/error.h"
#include "trainer/loop/data/bad_record.h"
#include "trainer/loop/data/skipped_log.h"
#include "trainer/loop/setup/feature_values.h"
#include "trainer/optimizer/gradient_norm.h"

namespace carrack::train {
namespace {

// A feature of this row that is not finite, and its column: `feature "x" is not finite in column 3 (age)`; empty if
// there is none.
std::string feature_not_finite(const data::Rows& rows, std::size_t row, const std::vector<std::size_t>& row_sizes,
                               const data::Storages& storages) {
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    const FeatureValues values = rows_of(feature_values(rows.columns[i]), {row, row + 1}, row_sizes[i]);
    const auto* floats = std::get_if<std::span<const float>>(&values);
    if (floats == nullptr) continue;
    const auto bad = std::ranges::find_if(*floats, [](float one) { return !std::isfinite(one); });
    if (bad == floats->end()) continue;
    const std::string& name = rows.columns[i].name;
    const auto column = static_cast<std::size_t>(bad - floats->begin());
    return "feature \"" + name + "\" is not finite" +
           place_in_feature(rows, row, name, column, floats->size(), storages);
  }
  return "";
}

// The numbers of the rows in the batch; empty if they are consecutive.
std::vector<std::uint64_t> row_numbers(const data::Batch& batch) {
  std::vector<std::uint64_t> numbers;
  if (batch.rows.lost.empty()) return numbers;
  for (const std::size_t index : data::indexes_of(batch.rows)) numbers.push_back(batch.first_row + index);
  return numbers;
}

Skipped skipped_of(std::span<const data::Lost> lost) {
  if (lost.empty()) return {};
  return {lost.size(), place_text(lost.front().why)};
}

}  // namespace

LaneGradients::LaneGradients(const Setup& setup, TrainingData data, const Training& training, int threads)
    : data_(std::move(data)),
      threads_(threads),
      executor_(gradients(setup.model.graph, setup.model.loss.value()), setup.layout,
                static_cast<std::int64_t>(data_.batch_records_max()), &threads_),
      size_(static_cast<std::size_t>(setup.layout.size())),
      training_(training),
      parts_(update_parts(training.groups, setup.layout, {0, setup.layout.size()})),
      blocks_(blocks(setup.layout, {0, setup.layout.size()})),
      draws_{.seed = static_cast<std::uint64_t>(training.seed)} {
  for (const Feature& feature : setup.model.features) row_sizes_.push_back(static_cast<std::size_t>(feature.size));
}

std::variant<std::vector<Gradient>, JobEnded> LaneGradients::compute(const Worker::Compute& compute,
                                                                     const Floats& parameters) {
  const data::Range lanes{static_cast<std::uint64_t>(compute.lanes.begin),
                          static_cast<std::uint64_t>(compute.lanes.end)};
  const auto read = data_.read({compute.batch, lanes, compute.lanes_in_batch, compute.leases});
  if (const auto* ended = std::get_if<JobEnded>(&read)) return *ended;
  const auto& step = std::get<TrainingData::Step>(read);
  draws_.step = compute.batch;
  row_numbers_ = row_numbers(step.batch);
  std::vector<Gradient> all;
  if (compute.lanes_in_batch != 0) {
    all.push_back(sum_over(step.batch, {0, step.batch.rows.count}, {}, parameters));
    all.back().lanes = compute.lanes;
    all.back().skipped = skipped_of(step.batch.rows.lost);
  } else {
    for (const Subtree subtree : aligned_subtrees(compute.lanes)) {
      all.push_back(sum_of_subtree(step.batch, subtree, lanes.begin, parameters));
    }
  }
  if (!std::ranges::all_of(all, [](const Gradient& one) { return std::isfinite(one.loss); })) {
    refuse_record(step.batch, parameters);
  }
  const bool has_norm = training_.consistency == Consistency::async && clips_by_norm(training_);
  for (Gradient& gradient : all) {
    gradient.first_pass = step.first_pass;
    if (!has_norm) continue;
    gradient.squares = squares_of(training_, parts_, blocks_, gradient.records, *gradient.sum);
  }
  return all;
}

void LaneGradients::refuse_record(const data::Batch& batch, const Floats& parameters) {
  const auto is_finite = [&](data::Range rows) { return std::isfinite(sum_over(batch, rows, {}, parameters).loss); };
  const data::Range rows = find_bad_row({0, batch.rows.count}, is_finite);
  if (rows.size() == 0) return;  // Only the sum of several records is not finite.
  const std::string record = name_of_record(batch, rows.begin);
  const std::string step = "step " + std::to_string(draws_.step + 1);
  const std::string feature = feature_not_finite(batch.rows, rows.begin, row_sizes_, data_.storages());
  if (feature.empty()) throw diverged("the loss of " + step + " is not finite for " + record);
  throw Error(Blame::user, "spec.data: " + record + ": " + feature + ", and so is the loss of " + step +
                               "; mend the record, or leave out such records by the stage filter");
}

Gradient LaneGradients::sum_of_subtree(const data::Batch& batch, Subtree lanes, std::size_t first_lane,
                                       const Floats& parameters) {
  const std::size_t begin = static_cast<std::size_t>(lanes.begin) - first_lane;
  const std::size_t end = begin + static_cast<std::size_t>(lanes.size);
  const data::Range rows{batch.lanes[begin].begin, batch.lanes[end - 1].end};
  std::vector<std::int64_t> ends;
  for (std::size_t lane = begin; training_.deterministic && lane < end; ++lane) {
    ends.push_back(static_cast<std::int64_t>(batch.lanes[lane].end - rows.begin));
  }
  Gradient gradient = sum_over(batch, rows, ends, parameters);
  gradient.lanes = {lanes.begin, lanes.begin + lanes.size};
  const data::Range lost{batch.lost[begin].begin, batch.lost[end - 1].end};
  gradient.skipped = skipped_of(std::span(batch.rows.lost).subspan(lost.begin, lost.size()));
  return gradient;
}

Gradient LaneGradients::sum_over(const data::Batch& batch, data::Range rows, const LaneEnds& lane_ends,
                                 const Floats& parameters) {
  // An empty lane has no columns.
  if (rows.size() == 0) return {.lanes = {}, .sum = std::make_shared<Floats>(size_, 0.0f)};
  auto sum = std::make_shared<Floats>(size_);
  float loss = 0;
  compute_naming_record(batch, rows, [&](data::Range some) {
    const bool is_all = some.size() == rows.size();
    loss = run(batch, some, is_all ? lane_ends : LaneEnds(), parameters, *sum);
  });
  return {.lanes = {}, .sum = std::move(sum), .records = rows.size(), .loss = loss};
}

float LaneGradients::run(const data::Batch& batch, data::Range rows, const LaneEnds& lane_ends,
                         const Floats& parameters, Floats& sum) {
  std::vector<FeatureValues> inputs;
  for (std::size_t i = 0; i < batch.rows.columns.size(); ++i) {
    inputs.push_back(rows_of(feature_values(batch.rows.columns[i]), rows, row_sizes_[i]));
  }
  draws_.first_row = batch.first_row + rows.begin;
  draws_.rows = {};
  if (!row_numbers_.empty()) draws_.rows = std::span(row_numbers_).subspan(rows.begin, rows.size());
  return executor_.run(parameters, inputs, static_cast<std::int64_t>(rows.size()), sum, {lane_ends, draws_});
}

}  // namespace carrack::train
