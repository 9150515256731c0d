#include "trainer/launch/launch.h"

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "trainer/error.h"
#include "trainer/launch/data_lines.h"
#include "trainer/launch/lines.h"
#include "trainer/launch/overloaded.h"
#include "trainer/launch/versions.h"

namespace carrack::train {
namespace {

constexpr std::string_view version_key = "carrack-launch";

// Both functions of this name return the first version of the configuration file that can name the kind.
int introduced_in(ModelKind kind) {
  switch (kind) {
    case ModelKind::linear_regression:
    case ModelKind::tally:
      return oldest_version;
    case ModelKind::layers:
      return version_of_layers_and_shapes;
    case ModelKind::own:
      return version_of_own_models;
  }
  throw Error(Blame::bug, "a kind of model of no version");
}

int introduced_in(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::sgd:
    case OptimizerKind::adam:
      return oldest_version;
    case OptimizerKind::adamw:
    case OptimizerKind::adagrad:
      return version_of_update_settings;
    case OptimizerKind::rms_prop:
      return version_of_nesterov_and_rms_prop;
  }
  throw Error(Blame::bug, "a kind of optimizer of no version");
}

// In the functions below `lines` is a LineReader or a LineWriter. `version` is the version of the file: an earlier
// version lacks some of the lines.

template <class Lines>
void layers_lines(Lines& lines, int version, Layers& model) {
  lines.each("model.layer", model.layers, [&](Layer& layer) {
    Choice kind = kind_of(layer);
    lines.peek_kind("model.layer", kind, [&] { return layer_of_kind(kind).kind->version <= version; });
    lines.line("model.layer", kind);
    if (kind != kind_of(layer)) layer = layer_of_kind(kind);
  });
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    Layer& layer = model.layers[i];
    const std::string key = "model.layer." + std::to_string(i) + ".";
    lines.line(key + "name", layer.name);
    lines.each(key + "input", layer.inputs, [&](std::string& input) { lines.line(key + "input", input); });
    for (std::size_t field = 0; field < layer.values.size(); ++field) {
      if (layer.kind->fields[field].version > version) continue;
      const std::string field_key = key + std::string(layer.kind->fields[field].name);
      std::visit([&](auto& value) { lines.line(field_key, value); }, layer.values[field]);
    }
  }
  lines.line("model.loss", model.loss.kind);
  lines.line("model.loss.target", model.loss.target);
  lines.line("model.loss.weight", model.loss.weight);
  lines.line("model.loss.mask", model.loss.mask);
  lines.line("model.loss.delta", model.loss.delta);
}

// A scalar has no dimensions, so no_value ("-") is written as its shape.
template <class Lines>
void own_model_lines(Lines& lines, OwnModel& model) {
  lines.each("model.tensor", model.tensors, [&](OwnTensor& tensor) {
    std::optional<std::vector<std::int64_t>> shape;
    if (!tensor.shape.empty()) shape = tensor.shape;
    lines.line("model.tensor", tensor.initial.kind, tensor.initial.scale, tensor.trained, shape, tensor.name);
    tensor.shape = shape.value_or(std::vector<std::int64_t>());
  });
}

template <class Lines>
void model_lines(Lines& lines, int version, Model& model) {
  ModelKind kind = kind_of(model);
  lines.peek_kind("model.kind", kind, [&] { return introduced_in(kind) <= version; });
  lines.line("model.kind", kind);
  set_kind(model, kind);
  const auto list = overloaded{[&](Layers& layers) { layers_lines(lines, version, layers); },
                               [&](LinearRegression& regression) {
                                 lines.line("model.input", regression.input);
                                 lines.line("model.target", regression.target);
                               },
                               [&](Tally& tally) {
                                 lines.line("model.record", tally.record);
                                 lines.line("model.records", tally.records);
                               },
                               [&](OwnModel& own) { own_model_lines(lines, own); }};
  std::visit(list, model);
}

template <class Lines>
void optimizer_lines(Lines& lines, int version, Optimizer& optimizer) {
  OptimizerKind kind = kind_of(optimizer);
  lines.peek_kind("optimizer.kind", kind, [&] { return introduced_in(kind) <= version; });
  lines.line("optimizer.kind", kind);
  set_kind(optimizer, kind);
  std::visit([&](auto& rule) { lines.line("optimizer.learningRate", rule.learning_rate); }, optimizer);
  const auto moments = [&](auto& adam) {
    lines.line("optimizer.beta1", adam.beta1);
    lines.line("optimizer.beta2", adam.beta2);
    lines.line("optimizer.epsilon", adam.epsilon);
  };
  const auto list = overloaded{[&](Sgd& sgd) {
                                 if (version >= version_of_update_settings)
                                   lines.line("optimizer.momentum", sgd.momentum);
                                 if (version >= version_of_nesterov_and_rms_prop)
                                   lines.line("optimizer.nesterov", sgd.nesterov);
                               },
                               [&](Adam& adam) { moments(adam); },
                               [&](AdamW& adamw) {
                                 moments(adamw);
                                 lines.line("optimizer.weightDecay", adamw.weight_decay);
                               },
                               [&](Adagrad& adagrad) {
                                 lines.line("optimizer.initialAccumulator", adagrad.initial_accumulator);
                                 lines.line("optimizer.epsilon", adagrad.epsilon);
                               },
                               [&](RmsProp& rms_prop) {
                                 lines.line("optimizer.rho", rms_prop.rho);
                                 lines.line("optimizer.epsilon", rms_prop.epsilon);
                               }};
  std::visit(list, optimizer);
}

template <class Lines>
void schedule_lines(Lines& lines, Schedule& schedule) {
  lines.line("training.schedule", schedule.kind);
  lines.line("training.schedule.steps", schedule.steps);
  lines.line("training.schedule.final", schedule.final_fraction);
  lines.line("training.schedule.warmupSteps", schedule.warmup_steps);
}

template <class Lines>
void clip_lines(Lines& lines, std::optional<Clip>& clip) {
  Clip limits = clip.value_or(Clip());
  lines.line("training.clip.value", limits.value);
  lines.line("training.clip.norm", limits.norm);
  if (limits != Clip()) clip = limits;
}

template <class Lines>
void group_lines(Lines& lines, std::vector<TensorGroup>& groups) {
  lines.each("training.group", groups, [&](TensorGroup& group) {
    lines.line("training.group", group.rate_scale, group.weight_decay, group.frozen);
  });
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string key = "training.group." + std::to_string(i) + ".tensor";
    lines.each(key, groups[i].tensors, [&](std::string& pattern) { lines.line(key, pattern); });
  }
}

template <class Lines>
void initial_weights_lines(Lines& lines, std::optional<InitialWeights>& initial) {
  InitialWeights weights = initial.value_or(InitialWeights{.from = "", .tensors = {}, .names = {}});
  const std::string key = "training.initialWeights.";
  lines.line(key + "from", weights.from);
  lines.each(key + "tensor", weights.tensors, [&](std::string& pattern) { lines.line(key + "tensor", pattern); });
  lines.each(key + "name", weights.names, [&](StoredName& name) {
    lines.line(key + "name", name.transposed, name.tensor);
    lines.line(key + "name.storedAs", name.stored_as);
  });
  if (!weights.from.empty()) initial = std::move(weights);
}

template <class Lines>
void checkpoint_lines(Lines& lines, int version, Checkpoint& checkpoint) {
  lines.line("checkpoint.folder", checkpoint.folder);
  if (version >= version_of_checkpoint_policy) {
    lines.line("checkpoint.everySeconds", checkpoint.every_seconds);
    lines.line("checkpoint.everySteps", checkpoint.every_steps);
    lines.line("checkpoint.keepLast", checkpoint.keep_last);
    lines.line("checkpoint.keepEverySteps", checkpoint.keep_every_steps);
  } else {
    // Earlier versions of the file always have a number of steps, and no other setting of checkpoints.
    std::int64_t every_steps = checkpoint.every_steps.value_or(0);
    lines.line("checkpoint.everySteps", every_steps);
    checkpoint.every_steps = every_steps;
  }
  lines.line("checkpoint.resume", checkpoint.resume);
  if (version >= version_of_taken_folders) lines.line("checkpoint.onTaken", checkpoint.on_taken);
}

template <class Lines>
void gpu_lines(Lines& lines, int version, int& gpus) {
  if (version < version_of_several_gpus) gpus = std::min(gpus, 1);  // such a file cannot name more than one GPU
  lines.line("replicas.worker.gpus", gpus);
}

// Lists all lines of the file. Both the writer and the reader use this list, so neither can forget a line.
template <class Lines>
void config_lines(Lines& lines, int version, Config& config) {
  lines.line("strategy", config.strategy);
  lines.line("replicas.ps", config.ps.min, config.ps.max);
  lines.line("replicas.worker", config.workers.min, config.workers.max);
  model_lines(lines, version, config.model);
  data_lines(lines, version, config.data);
  lines.line("training.batch", config.training.batch);
  lines.line("training.lanes", config.training.lanes);
  lines.line("training.epochs", config.training.epochs);
  optimizer_lines(lines, version, config.training.optimizer);
  lines.line("training.seed", config.training.seed);
  lines.line("training.consistency", config.training.consistency);
  lines.line("training.reduction", config.training.reduction);
  lines.line("training.deterministic", config.training.deterministic);
  if (version >= version_of_update_settings) {
    schedule_lines(lines, config.training.schedule);
    clip_lines(lines, config.training.clip);
    group_lines(lines, config.training.groups);
  }
  if (version >= version_of_evaluation) lines.line("training.patience", config.training.patience);
  if (version >= version_of_initial_weights) initial_weights_lines(lines, config.training.initial_weights);
  if (version >= version_of_staleness) lines.line("training.maxStaleness", config.training.max_staleness);
  checkpoint_lines(lines, version, config.checkpoint);
  if (version >= version_of_encryption) lines.line("security.tls", config.security.tls);
  if (version >= version_of_gpus) gpu_lines(lines, version, config.worker_gpus);
}

// Lists all environment variables, for writing and for reading.
template <class Variable>
void variables(Variable& variable, Launch& launch) {
  variable("CARRACK_JOB", launch.job);
  variable("CARRACK_JOB_UID", launch.job_uid);
  variable("CARRACK_ROLE", launch.member.role);
  variable("CARRACK_INDEX", launch.member.index);
  variable("CARRACK_ATTEMPT", launch.fence.attempt);
  variable("CARRACK_INCARNATION", launch.fence.incarnation);
  variable("CARRACK_COORDINATOR", launch.addresses.coordinator);
  variable("CARRACK_LISTEN", launch.addresses.listen);
  variable("CARRACK_KEYS", launch.addresses.key_folder);
  variable("CARRACK_PROGRESS", launch.addresses.progress);
  variable("CARRACK_FINAL_REPORT", launch.addresses.final_report);
}

Config parse_config(std::string_view text) {
  LineReader lines(text);
  int version = 0;
  lines.line(version_key, version);
  if (version < oldest_version || version > contract_version) {
    throw Error(Blame::user, "the operator speaks contract " + std::to_string(version) + ", this trainer speaks " +
                                 std::to_string(oldest_version) + " to " + std::to_string(contract_version) +
                                 "; use the trainer image of the operator's release");
  }
  Config config;
  config_lines(lines, version, config);
  lines.end();
  return config;
}

std::string text_in_version(int version, const Config& config) {
  LineWriter lines;
  lines.line(version_key, version);
  Config copy = config;
  config_lines(lines, version, copy);
  return lines.text();
}

// Returns whether the text has all of the configuration. A text in an early version may lack newer settings.
bool is_read_as(const Config& config, const std::string& text) {
  try {
    return parse_config(text) == config;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Environment to_environment(const Launch& launch) {
  Environment environment;
  const auto write = [&](const char* name, const auto& value) { environment[name] = to_text(value); };
  Launch copy = launch;
  variables(write, copy);
  return environment;
}

std::string to_config_text(const Config& config) {
  for (int version = oldest_version; version < contract_version; ++version) {
    std::string text = text_in_version(version, config);
    if (is_read_as(config, text)) return text;
  }
  return text_in_version(contract_version, config);
}

Config parse_config_text(std::string_view text) {
  return parse_config(text);
}

Launch parse_launch(const Environment& environment, std::string_view config_text) {
  Launch launch;
  launch.config = parse_config(config_text);
  const auto read = [&](const char* name, auto& value) {
    const auto found = environment.find(name);
    if (found == environment.end()) throw_malformed(name, "is not set; processes of a job are started by Carrack");
    if (!parse(found->second, value)) throw_malformed(name, "cannot be '" + found->second + "'");
  };
  variables(read, launch);
  return launch;
}

std::string to_launch_line(const Stage& stage) {
  LineWriter lines;
  Stage copy = stage;
  stage_lines(lines, contract_version, "stage", copy);
  const std::string line = lines.text();
  const std::size_t begin = line.find(' ') + 1;  // after the key
  return line.substr(begin, line.size() - 1 - begin);
}

}  // namespace carrack::train
