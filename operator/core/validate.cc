#include "operator/core/validate.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <variant>

#include "operator/core/pod_template.h"
#include "operator/core/problems.h"
#include "operator/core/resources.h"
#include "operator/core/validate_data.h"
#include "operator/core/validate_own.h"
#include "operator/core/validate_run.h"
#include "trainer/launch/overloaded.h"
#include "trainer/launch/spellings.h"

namespace carrack::control {
namespace {

using namespace train;

constexpr std::size_t max_name = 63;
constexpr std::int64_t max_batch = 2'147'483'647;
constexpr std::int64_t max_every_seconds = 31'536'000;  // a year
constexpr std::int64_t max_patience = 1'000'000;
constexpr std::int64_t most_staleness = 1'000'000;
constexpr std::int64_t max_keep_last = 1'000'000;
// The trainer computes updates in float32, which can represent numbers in this range and their products with usual
// values.
constexpr double min_factor = 1e-30, max_factor = 1e30;
constexpr double max_amount = 1e6;
constexpr std::size_t max_groups = 100, max_patterns = 100, max_pattern = 256;
constexpr std::size_t max_stored_names = 1000, max_stored_name = 512;

bool is_label(const std::string& name) {
  const auto is_inner = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= max_name && std::all_of(name.begin(), name.end(), is_inner) &&
         name.front() >= 'a' && name.back() != '-';
}

void check_replicas(const Replicas& replicas, const std::string& field, int min, Problems& problems) {
  problems.expect(replicas.min >= min, field, "min is " + to_text(replicas.min) + "; must be at least " + to_text(min));
  problems.expect(replicas.max >= replicas.min, field,
                  "max is " + to_text(replicas.max) + ", below min " + to_text(replicas.min));
  problems.expect(replicas.max <= replicas_max, field,
                  "is " + to_text(replicas.max) + "; must be at most " + to_text(replicas_max));
}

void check_pod_options(const JobSpec& spec, Problems& problems) {
  for (const auto& [role, name] : spellings<Role>) {
    const std::string field = "spec.replicas." + std::string(name);
    const PodOptions& pod = pod_options(spec, role);
    check_resources(pod.resources, field + ".resources", problems);
    if (!runs_own_program(spec, role)) check_gpus(pod.resources, role, field + ".resources", problems);
    if (pod.pod_template) check_pod_template(spec, role, *pod.pod_template, field + ".template", problems);
  }
}

void check_strategy(const JobSpec& spec, Problems& problems) {
  const Config& config = spec.config;
  if (config.strategy == Strategy::single) {
    problems.expect(config.ps == Replicas{} && spec.ps_pod == PodOptions(), "spec.replicas.ps",
                    "Single has no parameter servers; leave it out");
    problems.expect(spec.coordinator_pod == PodOptions(), "spec.replicas.coordinator",
                    "Single has no coordinator of its own; leave it out");
    problems.expect(config.workers == Replicas{1, 1}, "spec.replicas.worker",
                    "Single is one process; leave it out, or use strategy ParameterServer");
    return;
  }
  check_replicas(config.ps, "spec.replicas.ps", 1, problems);
  problems.expect(config.ps.min == config.ps.max, "spec.replicas.ps",
                  "min and max differ; parameter servers do not scale while a job runs, give count");
  check_replicas(config.workers, "spec.replicas.worker", 1, problems);
  if (spec.worker_count) {
    expect_range(*spec.worker_count, config.workers.min, config.workers.max, "spec.replicas.worker.count", problems);
  }
}

void check_optimizer(const Optimizer& optimizer, Problems& problems) {
  const std::string field = "spec.training.optimizer.";
  const auto check_factor = [&](double factor, const std::string& name) {
    expect_range(factor, min_factor, max_factor, field + name, problems);
  };
  const auto check_beta = [&](double beta, const std::string& name) {
    problems.expect(beta >= 0 && beta < 1, field + name,
                    "is " + to_text(beta) + "; must be at least 0 and less than 1");
  };
  const auto check_moments = [&](const auto& adam) {
    check_beta(adam.beta1, "beta1");
    check_beta(adam.beta2, "beta2");
    check_factor(adam.epsilon, "epsilon");
  };
  const auto check =
      overloaded{[&](const Sgd& sgd) {
                   check_beta(sgd.momentum, "momentum");
                   problems.expect(!sgd.nesterov || sgd.momentum != 0, field + "nesterov", "needs a momentum above 0");
                 },
                 [&](const Adam& adam) { check_moments(adam); },
                 [&](const AdamW& adamw) {
                   check_moments(adamw);
                   expect_range(adamw.weight_decay, 0.0, max_amount, field + "weightDecay", problems);
                 },
                 [&](const Adagrad& adagrad) {
                   expect_range(adagrad.initial_accumulator, 0.0, max_amount, field + "initialAccumulator", problems);
                   check_factor(adagrad.epsilon, "epsilon");
                 },
                 [&](const RmsProp& rms_prop) {
                   check_beta(rms_prop.rho, "rho");
                   check_factor(rms_prop.epsilon, "epsilon");
                 }};
  std::visit([&](const auto& rule) { check_factor(rule.learning_rate, "learningRate"); }, optimizer);
  std::visit(check, optimizer);
}

void check_schedule(const Schedule& schedule, Problems& problems) {
  const std::string field = "spec.training.schedule.";
  problems.expect(schedule.warmup_steps >= 0, field + "warmupSteps",
                  "is " + to_text(schedule.warmup_steps) + "; must be at least 0");
  if (schedule.kind == ScheduleKind::constant) return;
  problems.expect(schedule.steps >= 1, field + "steps", "is " + to_text(schedule.steps) + "; must be at least 1");
  problems.expect(schedule.steps < 1 || schedule.steps > schedule.warmup_steps, field + "steps",
                  "is " + to_text(schedule.steps) + "; must be above warmupSteps, as it counts the warm-up, too");
  expect_range(schedule.final_fraction, 0.0, 1.0, field + "final", problems);
  problems.expect(schedule.kind != ScheduleKind::exponential || schedule.final_fraction != 0, field + "final",
                  "is 0, which an exponential decay does not reach; give a fraction above 0, such as 0.01");
}

void check_clip(const Clip& clip, Problems& problems) {
  problems.expect(clip != Clip(), "spec.training.clip", "limits nothing; give value, norm or both");
  if (clip.value) expect_range(*clip.value, min_factor, max_factor, "spec.training.clip.value", problems);
  if (clip.norm) expect_range(*clip.norm, min_factor, max_factor, "spec.training.clip.norm", problems);
}

void check_patterns(const std::vector<std::string>& patterns, const std::string& field, Problems& problems) {
  problems.expect(!patterns.empty() && patterns.size() <= max_patterns, field,
                  "names " + to_text(patterns.size()) + " tensors; must name from 1 to " + to_text(max_patterns));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::string& pattern = patterns[i];
    problems.expect(!pattern.empty() && count_characters(pattern) <= max_pattern && has_no_control_characters(pattern),
                    field + "[" + to_text(i) + "]",
                    "is empty, has more than " + to_text(max_pattern) + " characters, or holds control characters");
  }
}

void check_group(const TensorGroup& group, const Optimizer& optimizer, const std::string& field, Problems& problems) {
  check_patterns(group.tensors, field + ".tensors", problems);
  expect_range(group.rate_scale, 0.0, max_amount, field + ".learningRateScale", problems);
  if (!group.weight_decay) return;
  expect_range(*group.weight_decay, 0.0, max_amount, field + ".weightDecay", problems);
  problems.expect(std::holds_alternative<AdamW>(optimizer), field + ".weightDecay",
                  "only AdamW decays weights; use it as spec.training.optimizer.kind, or leave this out");
}

void check_groups(const Training& training, Problems& problems) {
  const std::string field = "spec.training.groups";
  problems.expect(training.groups.size() <= max_groups, field,
                  "names " + to_text(training.groups.size()) + " groups; at most " + to_text(max_groups));
  for (std::size_t i = 0; i < training.groups.size(); ++i) {
    check_group(training.groups[i], training.optimizer, field + "[" + to_text(i) + "]", problems);
  }
}

// Does not check whether the names are tensors of the model. The ModelCheck of problems_in() does.
void check_initial_weights(const InitialWeights& weights, const Checkpoint& checkpoint, Problems& problems) {
  const std::string field = "spec.training.initialWeights";
  check_url(weights.from, field + ".from", problems);
  check_patterns(weights.tensors, field + ".tensors", problems);
  problems.expect(weights.names.size() <= max_stored_names, field + ".names",
                  "has " + to_text(weights.names.size()) + " names; at most " + to_text(max_stored_names));
  for (std::size_t i = 0; i < weights.names.size(); ++i) {
    const std::string& name = weights.names[i].stored_as;
    problems.expect(count_characters(name) <= max_stored_name && has_no_control_characters(name),
                    field + ".names[" + to_text(i) + "].storedAs",
                    "has more than " + to_text(max_stored_name) + " characters, or holds control characters");
  }
  problems.expect(checkpoint.resume.empty(), field,
                  "a job that resumes another one has its weights; leave out this or spec.checkpoint.resume");
}

// The coordinator grants workers no batch that is more than max_staleness / 2 batches after the first one that is not
// done. If that is less than the number of other workers, some workers would never get a batch.
void check_max_staleness(const Config& config, std::int64_t max_staleness, Problems& problems) {
  const std::string field = "spec.training.maxStaleness";
  expect_range(max_staleness, 0, most_staleness, field, problems);
  problems.expect(config.training.consistency == Consistency::async, field,
                  "is for consistency Async; in Sync no gradient is stale, so leave it out");
  const std::int64_t least = 2 * (std::int64_t{config.workers.max} - 1);
  problems.expect(max_staleness >= least, field,
                  "is " + to_text(max_staleness) + "; below " + to_text(least) +
                      ", twice the other workers, some of the " + to_text(config.workers.max) +
                      " in spec.replicas.worker never have a batch");
}

void check_training(const Config& config, Problems& problems) {
  const Training& training = config.training;
  const std::string field = "spec.training.";
  expect_range(training.batch, 1, max_batch, field + "batch", problems);
  problems.expect(training.epochs >= 1, field + "epochs", "is " + to_text(training.epochs) + "; must be at least 1");
  problems.expect(training.seed >= 0, field + "seed", "is " + to_text(training.seed) + "; must be at least 0");
  const bool power =
      training.lanes >= 1 && training.lanes <= lanes_max && std::has_single_bit(static_cast<unsigned>(training.lanes));
  problems.expect(power, field + "lanes",
                  "is " + to_text(training.lanes) + "; must be a power of two up to " + to_text(lanes_max));
  const std::int64_t gpus = std::int64_t{config.workers.max} * config.worker_gpus;
  problems.expect(!power || !training.deterministic || training.lanes < config.workers.max || training.lanes >= gpus,
                  field + "lanes",
                  "is " + to_text(training.lanes) + ", below the " + to_text(gpus) +
                      " GPUs of all workers, and with deterministic a GPU computes whole lanes; set more lanes, or "
                      "request fewer GPUs");
  problems.expect(!power || training.lanes >= config.workers.max, field + "lanes",
                  "is " + to_text(training.lanes) + ", below the " + to_text(config.workers.max) +
                      " workers of spec.replicas.worker; each needs a lane, and by default there are " +
                      to_text(Training{}.lanes));
  problems.expect(!training.deterministic || training.consistency == Consistency::sync, field + "deterministic",
                  "is not possible with consistency Async; use Sync");
  if (training.max_staleness) check_max_staleness(config, *training.max_staleness, problems);
  check_optimizer(training.optimizer, problems);
  check_schedule(training.schedule, problems);
  if (training.clip) check_clip(*training.clip, problems);
  check_groups(training, problems);
  if (training.patience) {
    expect_range(*training.patience, 1, max_patience, field + "patience", problems);
    problems.expect(config.data.evaluation.has_value(), field + "patience",
                    "counts evaluations, and there are none; name files in spec.data.eval");
  }
  if (training.initial_weights) check_initial_weights(*training.initial_weights, config.checkpoint, problems);
}

// Adds a problem for any $( except $(NAME) and $(UID), because the operator replaces only these two.
void check_placeholders(const std::string& folder, Problems& problems) {
  for (std::size_t at = folder.find("$("); at != folder.npos; at = folder.find("$(", at + 1)) {
    const std::string_view rest = std::string_view(folder).substr(at);
    if (rest.starts_with("$(NAME)") || rest.starts_with("$(UID)")) continue;
    problems.expect(false, "spec.checkpoint.folder", "has a $( that begins neither $(NAME) nor $(UID)");
    return;
  }
}

void check_checkpoint(const Checkpoint& checkpoint, Problems& problems) {
  check_placeholders(checkpoint.folder, problems);
  check_url(checkpoint.folder, "spec.checkpoint.folder", problems);
  expect_range(checkpoint.every_seconds, 1, max_every_seconds, "spec.checkpoint.everySeconds", problems);
  const std::int64_t every_steps = checkpoint.every_steps.value_or(1);
  problems.expect(every_steps >= 1, "spec.checkpoint.everySteps",
                  "is " + to_text(every_steps) + "; must be at least 1");
  expect_range(checkpoint.keep_last, 1, max_keep_last, "spec.checkpoint.keepLast", problems);
  const std::int64_t keep_every_steps = checkpoint.keep_every_steps.value_or(1);
  problems.expect(keep_every_steps >= 1, "spec.checkpoint.keepEverySteps",
                  "is " + to_text(keep_every_steps) + "; must be at least 1");
  if (checkpoint.resume.empty()) return;
  check_url(checkpoint.resume, "spec.checkpoint.resume", problems);
  problems.expect(checkpoint.resume != checkpoint.folder, "spec.checkpoint.resume",
                  "is spec.checkpoint.folder; a job's own restarts always resume, leave it out");
}

}  // namespace

std::vector<Problem> problems_in(const JobSpec& spec, const ModelCheck& check_model) {
  Problems problems;
  problems.expect(is_label(spec.name), "metadata.name",
                  "'" + spec.name +
                      "' is not a DNS label: a lower-case letter, then lower-case letters, digits and '-', at most 63");
  check_run(spec, problems);
  check_pod_options(spec, problems);
  if (spec.own) {
    check_own(spec, problems);
    return problems.found();
  }
  check_strategy(spec, problems);
  if (is_own(spec.config.model)) check_own_worker(spec, problems);
  problems.add(check_model(spec.config));
  check_data(spec.config.data, problems);
  check_training(spec.config, problems);
  check_checkpoint(spec.config.checkpoint, problems);
  return problems.found();
}

std::string describe(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += (text.empty() ? "" : "\n") + problem.field + ": " + problem.text;
  return text;
}

}  // namespace carrack::control
