#include "trainer/loop/roles/evaluator.h"

#include <cmath>
#include <exception>
#include <utility>

#include "dataloader/storage/url.h"
#include "trainer/error.h"
#include "trainer/evaluation/predict.h"
#include "trainer/loop/storage/stored_model.h"

namespace carrack::train {
namespace {

// Thrown to end an evaluation with its process.
struct Cancelled {};

// A process that trains has little to spare.
std::uint64_t memory_for_parameters(const RoleContext& context) {
  return context.memory / (context.one_process ? 4 : 2);
}

PredictLimits limits_of(const RoleContext& context) {
  if (context.one_process) return {context.memory / 8, 1};
  return {context.memory / 4, context.cpus};
}

bool is_better(double loss, const std::optional<checkpoint::Best>& best) {
  return std::isfinite(loss) && (!best || loss < best->loss);
}

}  // namespace

void require_evaluation_data(const Config& config, const RoleContext& context) {
  try {
    require_records(config, config.data.evaluation->files, context.storages, limits_of(context));
  } catch (const Error& error) {
    throw Error(error.blame(), std::string("spec.data.eval: ") + error.what());
  }
}

Evaluator::Evaluator(const Config& config, const RoleContext& context, Inbox& inbox,
                     std::function<void(const std::optional<Evaluation>&)> done)
    : config_(config),
      context_(context),
      done_(std::move(done)),
      folder_(context.storages.for_url(config.checkpoint.folder), config.checkpoint.folder),
      best_(folder_.best()),
      background_(inbox) {}

void Evaluator::begin(const Candidate& candidate) {
  if (under_way_) {
    waiting_ = candidate;
  } else {
    start(candidate);
  }
}

std::vector<std::string> Evaluator::manifests_in_use() const {
  std::vector<std::string> manifests;
  if (best_) manifests.push_back(best_->checkpoint.manifest);
  if (under_way_) manifests.push_back(under_way_->checkpoint.manifest);
  return manifests;
}

void Evaluator::start(const Candidate& candidate) {
  under_way_ = candidate;
  background_.run([this, candidate, best = best_]() mutable -> std::function<void()> {
    try {
      Evaluation evaluation{candidate.step, values_of(candidate.checkpoint)};
      evaluation.is_best = is_better(evaluation.values.loss, best);
      if (evaluation.is_best) {
        best = checkpoint::Best{candidate.checkpoint, evaluation.values.loss};
        folder_.write_best(*best);
      }
      return [this, evaluation, best] { ended(evaluation, best); };
    } catch (const Cancelled&) {
      return [] {};
    } catch (const std::exception& error) {
      context_.log("step " + std::to_string(candidate.step) + " is not evaluated: " + error.what() +
                   "; training goes on");
      return [this] { ended(std::nullopt, best_); };
    }
  });
}

void Evaluator::ended(const std::optional<Evaluation>& evaluation, const std::optional<checkpoint::Best>& best) {
  under_way_.reset();
  best_ = best;
  if (waiting_) start(*std::exchange(waiting_, std::nullopt));
  done_(evaluation);
}

MetricValues Evaluator::values_of(const checkpoint::Committed& checkpoint) const {
  const auto check_cancelled = [this] {
    if (ending_) throw Cancelled();
  };
  check_cancelled();
  const StoredModel model = read_model(data::in_folder(config_.checkpoint.folder, checkpoint.manifest),
                                       context_.storages, memory_for_parameters(context_));
  return predict(model, {.files = config_.data.evaluation->files, .check_cancelled = check_cancelled},
                 context_.storages, limits_of(context_));
}

}  // namespace carrack::train
