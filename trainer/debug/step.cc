#include "trainer/debug/step.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "trainer/debug/first_records.h"
#include "trainer/execution/executor.h"
#include "trainer/loop/data/bad_record.h"
#include "trainer/loop/data/statistics.h"
#include "trainer/loop/setup/feature_values.h"
#include "trainer/loop/setup/memory.h"
#include "trainer/loop/setup/values_of_data.h"
#include "trainer/loop/storage/initial_weights.h"
#include "trainer/optimizer/gradient_norm.h"
#include "trainer/optimizer/optimizer.h"
#include "trainer/reference/evaluate.h"

namespace carrack::train {
namespace {

using reference::Doubles;

Doubles doubles_of(const auto& values) {
  Doubles doubles;
  for (const auto one : values) doubles.push_back(static_cast<double>(one));
  return doubles;
}

double norm_of(std::span<const float> values, double divisor) {
  double squares = 0;
  for (const float one : values) squares += (one / divisor) * (one / divisor);
  return std::sqrt(squares);
}

// Computes a batch twice, by the kernels and in double precision, so that the report can compare both. Then updates the
// parameters with the gradients of the kernels.
class Step {
 public:
  Step(const Config& config, const Setup& setup, std::vector<float> parameters, const data::Batch& batch,
       cpu::ThreadPool& threads)
      : training_(config.training),
        setup_(setup),
        rows_(static_cast<std::int64_t>(batch.rows.count)),
        gradients_(gradients(setup.model.graph, setup.model.loss.value())),
        executor_(gradients_, setup.layout, rows_, &threads, Device::cpu, MemoryReuse::off),
        parameters_(std::move(parameters)),
        gradient_sum_(parameters_.size()) {
    const auto seed = static_cast<std::uint64_t>(training_.seed);
    for (const data::NamedColumn& column : batch.rows.columns) inputs_.push_back(feature_values(column));
    const Draws draws{.seed = seed, .step = 0, .first_row = 0};
    compute_naming_record(batch, {0, batch.rows.count}, [&](data::Range rows) { run(rows, draws); });
    reference::Arguments arguments{.parameters = {}, .inputs = {}, .rows = rows_, .draws = draws};
    for (const PlacedTensor& tensor : setup.layout.tensors()) {
      arguments.parameters.push_back(doubles_of(part(parameters_, tensor)));
    }
    for (const FeatureValues& input : inputs_) {
      arguments.inputs.push_back(std::visit([](const auto& values) { return doubles_of(values); }, input));
    }
    expected_ = reference::evaluate(gradients_.graph, arguments);
    updated_ = updated();
  }

  std::vector<ValueReport> features() const {
    std::vector<ValueReport> all;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const ValueId id = graph().inputs()[i];
      all.push_back({graph().value(id).name, shape_of(id), numbers_of(expected_[id])});
    }
    return all;
  }

  std::vector<LayerReport> layers() const {
    std::vector<LayerReport> all;
    std::size_t next = 0;  // the number of the next tensor
    for (const LayerOutput& layer : setup_.model.layers) {
      const std::span<const float> output = executor_.elements(layer.value);
      LayerReport report{{layer.name, shape_of(layer.value), numbers_of(doubles_of(output)),
                          difference_of(output, expected_[layer.value])},
                         {}};
      for (std::size_t i = 0; i < layer.parameters; ++i) report.tensors.push_back(tensor(next++));
      all.push_back(std::move(report));
    }
    return all;
  }

  double loss() const { return double{loss_} / static_cast<double>(rows_); }
  double loss_difference() const { return difference_of(std::span(&loss_, 1), expected_[gradients_.loss]); }

 private:
  // Runs the kernels for these rows alone. compute_naming_record() calls it again to find the row that fails.
  void run(data::Range rows, const Draws& draws) {
    std::vector<FeatureValues> inputs;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      inputs.push_back(rows_of(inputs_[i], rows, static_cast<std::size_t>(setup_.model.features[i].size)));
    }
    loss_ = executor_.run(parameters_, inputs, static_cast<std::int64_t>(rows.size()), gradient_sum_, {{}, draws});
  }

  static std::span<const float> part(const std::vector<float>& all, const PlacedTensor& tensor) {
    return std::span(all).subspan(static_cast<std::size_t>(tensor.range.begin),
                                  static_cast<std::size_t>(tensor.range.size()));
  }

  const Graph& graph() const { return gradients_.graph; }
  Shape shape_of(ValueId id) const { return with_rows(graph().value(id).shape, rows_); }

  std::vector<float> updated() const {
    const std::uint64_t records = static_cast<std::uint64_t>(rows_);
    const Range all{0, setup_.layout.size()};
    const std::vector<UpdatePart> parts = update_parts(training_.groups, setup_.layout, all);
    double scale = 1;
    if (clips_by_norm(training_)) {
      const double squares = squares_of(training_, parts, blocks(setup_.layout, all), records, gradient_sum_);
      scale = norm_scale(training_, squares);
    }
    std::vector<std::vector<float>> state(state_names(training_.optimizer).size(),
                                          std::vector<float>(parameters_.size(), initial_state(training_.optimizer)));
    std::vector<float> result(parameters_.size());
    train::apply(training_, parts, records,
                 Update{.parameters = parameters_,
                        .gradient_sum = gradient_sum_,
                        .gradient = {.scale = static_cast<float>(scale)},
                        .step = 1,
                        .state = {state.begin(), state.end()},
                        .updated = result});
    return result;
  }

  TensorReport tensor(std::size_t i) const {
    const PlacedTensor& placed = setup_.layout.tensors()[i];
    const std::span<const float> before = part(parameters_, placed), after = part(updated_, placed);
    std::vector<float> change(before.size());
    std::ranges::transform(after, before, change.begin(), std::minus());
    const std::span<const float> gradient = part(gradient_sum_, placed);
    return {.value = {placed.name, placed.shape, numbers_of(doubles_of(before))},
            .gradient_norm = norm_of(gradient, divisor_of(training_, static_cast<std::uint64_t>(rows_))),
            .update_norm = norm_of(change, 1),
            .gradient_difference = difference_of(gradient, expected_[gradients_.of_parameters[i]])};
  }

  const Training& training_;
  const Setup& setup_;
  std::int64_t rows_;
  Gradients gradients_;
  Executor executor_;
  std::vector<float> parameters_, gradient_sum_, updated_;
  std::vector<FeatureValues> inputs_;
  float loss_ = 0;
  std::vector<Doubles> expected_;  // the values in double precision, indexed by ValueId
};

// Returns the parameters with which the parameter servers of the job start.
std::vector<float> initial_parameters(const Launch& launch, const Setup& setup, const RoleContext& context) {
  const Training& training = launch.config.training;
  const Range all{0, setup.layout.size()};
  std::vector<float> values(static_cast<std::size_t>(all.size()));
  initialize(setup.model, static_cast<std::uint64_t>(training.seed), all, values,
             values_from_statistics(statistics_of(launch, setup, context)));
  if (training.initial_weights) {
    read_initial_weights(*training.initial_weights, setup.layout, all, values, context.storages);
  }
  return values;
}

std::vector<std::string> names_of(const data::Rows& rows) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows.count; ++i) {
    names.push_back(rows.origins.empty()
                        ? "record " + std::to_string(i)
                        : "record " + std::to_string(rows.origins[i].record) + " of " + *rows.origins[i].file);
  }
  return names;
}

// Returns a line such as "NaN or infinity appears first in layer `dense`: record 2 of data.tfrecord". The value has one
// row for each record, so the position of its first bad element shows the record.
std::string line_of(const std::string& where, const ValueReport& value, const StepReport& report) {
  const auto count = static_cast<std::size_t>(element_count(value.shape));
  const std::size_t row = *value.numbers.first_not_finite / (count / report.records.size());
  return "NaN or infinity appears first in " + where + " `" + value.name + "`: " + report.records[row];
}

// Returns the first of the loss, the gradients and the updates that is not finite; empty if all are finite.
std::string other_not_finite(const StepReport& report) {
  if (!std::isfinite(report.loss)) return "the loss";
  for (const LayerReport& layer : report.layers) {
    for (const TensorReport& tensor : layer.tensors) {
      if (!std::isfinite(tensor.gradient_norm)) return "the gradient of `" + tensor.value.name + "`";
      if (!std::isfinite(tensor.update_norm)) return "the update of `" + tensor.value.name + "`";
    }
  }
  return "";
}

}  // namespace

StepReport first_step(const Launch& launch, const RoleContext& context, std::int64_t records) {
  Config config = launch.config;
  config.ps = {1, 1};
  config.training.batch = records;
  const Setup setup = setup_from(config);
  require_worker_fits(setup, config, process_size(context, static_cast<std::uint64_t>(records)));
  const FirstRecords first = first_records(launch, setup, context, records);
  cpu::ThreadPool threads(static_cast<int>(context.cpus));
  const Step step(config, setup, initial_parameters(launch, setup, context), first.batch, threads);
  return {.records_in_epoch = first.in_epoch,
          .seed = config.training.seed,
          .records = names_of(first.batch.rows),
          .features = step.features(),
          .layers = step.layers(),
          .loss = step.loss(),
          .loss_difference = step.loss_difference()};
}

std::vector<std::string> not_finite(const StepReport& report) {
  const auto is_bad = [](const ValueReport& value) { return value.numbers.first_not_finite.has_value(); };
  std::vector<std::string> lines;
  const auto feature = std::ranges::find_if(report.features, is_bad);
  if (feature != report.features.end()) lines.push_back(line_of("feature", *feature, report));
  const auto layer = std::ranges::find_if(report.layers, is_bad, &LayerReport::output);
  if (layer != report.layers.end()) {
    lines.push_back(line_of("layer", layer->output, report));
  } else if (const std::string other = other_not_finite(report); !other.empty()) {
    lines.push_back("NaN or infinity appears first in " + other);
  }
  return lines;
}

}  // namespace carrack::train
