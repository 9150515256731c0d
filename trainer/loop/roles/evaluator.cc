#include "trainer/loop/roles/evaluator.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "dataloader/storage/url.h"
#include "dataloader/text.h"
#include "trainer/error.h"
#include "trainer/evaluation/predict.h"
#include "trainer/loop/data/skipped_log.h"
#include "trainer/loop/storage/commit_store.h"
#include "trainer/loop/storage/stored_model.h"

namespace carrack::train {
namespace {

constexpr std::uint64_t reading_memory_max = std::uint64_t{2} << 30;

// Thrown to end an evaluation when its process ends.
struct Cancelled {};
// Thrown to end an evaluation if a later process of the coordinator has claimed the folder, so this one must not write.
struct Replaced {};

// In a process that also trains, evaluation may use less memory, because training needs most of it.
std::uint64_t memory_for_parameters(const RoleContext& context) {
  return context.memory / (context.one_process ? 4 : 2);
}

// Leaves one CPU to the thread that handles the inbox, so that an evaluation does not delay the job. In a process that
// also trains, evaluation uses a single CPU.
PredictLimits limits_of(const RoleContext& context) {
  if (context.one_process) return {std::min(context.memory / 8, reading_memory_max), 1};
  return {std::min(context.memory / 4, reading_memory_max), std::max(context.cpus, 2u) - 1};
}

void require_parameters_fit(const Config& config, const RoleContext& context) {
  const std::int64_t values = layout_of(model_graph(config.model, config.data)).size();
  const std::uint64_t bytes = static_cast<std::uint64_t>(values) * sizeof(float);
  if (bytes <= memory_for_parameters(context)) return;
  throw Error(Blame::user, "the parameters take " + data::format_bytes(bytes) +
                               " once more to be evaluated, and of its " + data::format_bytes(context.memory) +
                               " this process may use " + data::format_bytes(memory_for_parameters(context)) +
                               " for that; give it more memory");
}

bool is_better(double loss, const std::optional<checkpoint::Best>& best) {
  return std::isfinite(loss) && (!best || loss < best->loss);
}

// True for checkpoints of this job, and of earlier jobs whose training it continues.
bool is_of_this_training(const checkpoint::Manifest& manifest, const Launch& launch,
                         checkpoint::CheckpointFolder& folder) {
  if (manifest.job == launch.job_uid) return true;
  const std::optional<checkpoint::Head> head = folder.head();
  return head && head->taken_over && manifest.cut.attempt >= head->taken_over->replaced_attempts &&
         std::ranges::count(head->taken_over->owners, manifest.job) > 0;
}

// Returns the content of BEST, the file in the checkpoint folder that names the best checkpoint. Returns nullopt if
// that checkpoint does not exist or is not of this training.
std::optional<checkpoint::Best> best_so_far(checkpoint::CheckpointFolder& folder, const Launch& launch,
                                            const RoleContext& context) {
  try {
    std::optional<checkpoint::Best> best = folder.best();
    if (best && !is_of_this_training(folder.manifest(best->checkpoint), launch, folder)) best.reset();
    return best;
  } catch (const Error& error) {
    context.log(std::string("the best checkpoint so far is ignored: ") + error.what());
    return std::nullopt;
  }
}

}  // namespace

void require_evaluation_data(const Config& config, const RoleContext& context) {
  try {
    require_parameters_fit(config, context);
    require_records(config, config.data.evaluation->files, context.storages, limits_of(context), context.goes_on);
  } catch (const Error& error) {
    throw Error(error.blame(), std::string("spec.data.eval: ") + error.what());
  }
}

Evaluator::Evaluator(const Launch& launch, const RoleContext& context, Inbox& inbox, Watchdog& watchdog,
                     std::function<void(const std::optional<Evaluation>&)> done)
    : launch_(launch),
      context_(context),
      watchdog_(watchdog),
      done_(std::move(done)),
      folder_(context.storages.for_url(launch.config.checkpoint.folder), launch.config.checkpoint.folder),
      best_(best_so_far(folder_, launch, context)),
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
    Watchdog::Work work(watchdog_, limit_of_small_files("evaluating step " + std::to_string(candidate.step)));
    try {
      Evaluation evaluation{candidate.step, values_of(candidate.checkpoint, work)};
      if (!still_claims(launch_, context_.storages)) throw Replaced();
      const bool is_better_now = is_better(evaluation.values.loss, best);
      if (is_better_now) {
        best = checkpoint::Best{candidate.checkpoint, evaluation.values.loss};
        folder_.write_best(*best);
      }
      evaluation.is_best = best && best->checkpoint.manifest == candidate.checkpoint.manifest;
      return [this, evaluation, best] { ended(evaluation, best); };
    } catch (const Cancelled&) {
      return [] {};
    } catch (const Replaced&) {
      return [this] { ended(std::nullopt, best_); };
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

MetricValues Evaluator::values_of(const checkpoint::Committed& checkpoint, Watchdog::Work& work) const {
  const auto check_cancelled = [this, &work] {
    work.goes_on();
    if (ending_) throw Cancelled();
  };
  check_cancelled();
  const StoredModel model = read_model(data::in_folder(launch_.config.checkpoint.folder, checkpoint.manifest),
                                       context_.storages, memory_for_parameters(context_), check_cancelled);
  const auto log_skipped = [&](std::uint64_t records, const data::Corrupt& first) {
    context_.log(data::counted(records, "record") + " of spec.data.eval left out, the first: " + damage_text(first));
  };
  return predict(model,
                 {.files = launch_.config.data.evaluation->files,
                  .on_damage = launch_.config.data.on_damage,
                  .skipped = log_skipped,
                  .check_cancelled = check_cancelled},
                 context_.storages, limits_of(context_));
}

}  // namespace carrack::train
