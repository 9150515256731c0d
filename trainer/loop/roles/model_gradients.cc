#include "trainer/loop/roles/model_gradients.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "trainer/comm/protocol/diverged.h"
#include "trainer/error.h"
#include "trainer/loop/data/bad_record.h"
#include "trainer/loop/setup/feature_values.h"

namespace carrack::train {
namespace {

// Describes the first feature of this row that is infinite or NaN: `feature "x" is not finite in column 3 (age)`.
// Returns "" if all are finite.
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
    return "feature \"" + name + "\" is not finite" + column_text(rows, row, name, column, floats->size(), storages);
  }
  return "";
}

// Returns the number in the batch of each row that is not left out, because random draws depend on it. Returns nothing
// if no row is left out: the numbers are then consecutive.
std::vector<std::uint64_t> row_numbers(const data::Batch& batch) {
  std::vector<std::uint64_t> numbers;
  if (batch.rows.lost.empty()) return numbers;
  for (const std::size_t index : data::indexes_of(batch.rows)) numbers.push_back(batch.first_row + index);
  return numbers;
}

Gradients gradients_of(const ModelGraph& model) {
  if (!model.loss) {
    throw Error(Blame::user,
                "spec.model.kind: is Own, which the program of spec.replicas.worker.template computes; this is "
                "Carrack's own trainer");
  }
  return gradients(model.graph, *model.loss);
}

}  // namespace

ModelGradients::ModelGradients(const Setup& setup, const WorkerProcessors& processors, std::int64_t seed, int threads,
                               const data::Storages& storages)
    : threads_(threads),
      executor_(gradients_of(setup.model), setup.layout, processors.rows_at_once, processors.all, &threads_),
      seed_(static_cast<std::uint64_t>(seed)),
      storages_(storages) {
  for (const Feature& feature : setup.model.features) row_sizes_.push_back(static_cast<std::size_t>(feature.size));
}

RowGradients::Sum ModelGradients::sum_over(const StepRows& of, const SharedFloats& parameters) {
  Sum sum = run(of, *parameters);
  if (!std::isfinite(sum.loss)) refuse_record(of, *parameters);
  return sum;
}

// Called if the loss of these rows is not finite. Throws if that is due to a single record, and names the record.
void ModelGradients::refuse_record(const StepRows& of, const Floats& parameters) {
  const auto is_finite = [&](data::Range rows) {
    return std::isfinite(run({of.step, of.batch, rows}, parameters).loss);
  };
  const data::Range rows = find_bad_row(of.rows, is_finite);
  if (rows.size() == 0) return;  // only the sum of several records is not finite
  const std::string record = name_of_record(*of.batch, rows.begin);
  const std::string step = "step " + std::to_string(of.step + 1);
  const std::string feature = feature_not_finite(of.batch->rows, rows.begin, row_sizes_, storages_);
  if (feature.empty()) throw diverged("the loss of " + step + " is not finite for " + record);
  throw Error(Blame::user, "spec.data: " + record + ": " + feature + ", and so is the loss of " + step +
                               "; mend the record, or leave out such records by the stage filter");
}

RowGradients::Sum ModelGradients::run(const StepRows& of, const Floats& parameters) {
  Sum sum{std::make_shared<Floats>(parameters.size())};
  compute_naming_record(*of.batch, of.rows, [&](data::Range some) {
    const bool is_all = some.size() == of.rows.size();
    sum.loss = run({of.step, of.batch, some, is_all ? of.lane_ends : LaneEnds()}, parameters, *sum.gradient);
  });
  return sum;
}

float ModelGradients::run(const StepRows& of, const Floats& parameters, Floats& gradient) {
  const data::Batch& batch = *of.batch;
  std::vector<FeatureValues> inputs;
  for (std::size_t i = 0; i < batch.rows.columns.size(); ++i) {
    inputs.push_back(rows_of(feature_values(batch.rows.columns[i]), of.rows, row_sizes_[i]));
  }
  const std::vector<std::uint64_t> numbers = row_numbers(batch);
  Draws draws{.seed = seed_, .step = of.step, .first_row = batch.first_row + of.rows.begin};
  if (!numbers.empty()) draws.rows = std::span(numbers).subspan(of.rows.begin, of.rows.size());
  return executor_.run(parameters, inputs, static_cast<std::int64_t>(of.rows.size()), gradient, {of.lane_ends, draws});
}

}  // namespace carrack::train
