// Decodes and encodes `spec` of a TrainingJob, for codec/job.cc. Each fields_of() lists the fields of one struct with
// their names in YAML and JSON. Called with a FieldReader (fields.h) it decodes the struct, with a FieldWriter it
// encodes it. `Fields::reads` is true for a FieldReader. Code depends on it where writing leaves out a default, or
// where reading accepts several forms. docs/reference/trainingjob.md says what each field means.
#pragma once

#include <algorithm>
#include <variant>

#include "operator/codec/fields.h"
#include "operator/codec/model_fields.h"
#include "operator/codec/own_fields.h"
#include "operator/codec/replica_fields.h"
#include "operator/codec/run_fields.h"
#include "operator/core/resources.h"
#include "trainer/launch/overloaded.h"

namespace carrack::control {

// All values of spec.strategy. train::Strategy lacks Own, which the trainer does not know.
enum class AnyStrategy { single, parameter_server, own };

}  // namespace carrack::control

namespace carrack::train {

template <>
inline constexpr Spelling<control::AnyStrategy> spellings<control::AnyStrategy>[] = {
    {control::AnyStrategy::single, "Single"},
    {control::AnyStrategy::parameter_server, "ParameterServer"},
    {control::AnyStrategy::own, "Own"}};

}  // namespace carrack::train

namespace carrack::control {

// Lists the field `kind` of an object such as {kind: Adam, learningRate: 0.1}, which selects the alternative of the
// variant `value`. Pass the current alternative as `kind`. On reading, `value` gets the alternative that the field
// names; the caller then lists the fields of that alternative.
template <class Fields, class Variant, class Kind>
void kind_field(Fields& fields, Variant& value, Kind kind) {
  fields.required("kind", kind);
  train::set_kind(value, kind);
}

template <class Fields>
void fields_of(Fields& fields, train::Optimizer& optimizer) {
  kind_field(fields, optimizer, train::kind_of(optimizer));
  std::visit([&](auto& rule) { fields.optional("learningRate", rule.learning_rate); }, optimizer);
  const auto moments = [&](auto& adam) {
    fields.optional("beta1", adam.beta1);
    fields.optional("beta2", adam.beta2);
    fields.optional("epsilon", adam.epsilon);
  };
  const auto list = train::overloaded{[&](train::Sgd& sgd) {
                                        if (Fields::reads || sgd.momentum != 0)
                                          fields.optional("momentum", sgd.momentum);
                                        if (Fields::reads || sgd.nesterov) fields.optional("nesterov", sgd.nesterov);
                                      },
                                      [&](train::Adam& adam) { moments(adam); },
                                      [&](train::AdamW& adamw) {
                                        moments(adamw);
                                        fields.optional("weightDecay", adamw.weight_decay);
                                      },
                                      [&](train::Adagrad& adagrad) {
                                        fields.optional("initialAccumulator", adagrad.initial_accumulator);
                                        fields.optional("epsilon", adagrad.epsilon);
                                      },
                                      [&](train::RmsProp& rms_prop) {
                                        fields.optional("rho", rms_prop.rho);
                                        fields.optional("epsilon", rms_prop.epsilon);
                                      }};
  std::visit(list, optimizer);
}

template <class Fields>
void fields_of(Fields& fields, train::Schedule& schedule) {
  fields.required("kind", schedule.kind);
  if (schedule.kind != train::ScheduleKind::constant) {
    fields.required("steps", schedule.steps);
    fields.optional("final", schedule.final_fraction);
  }
  fields.optional("warmupSteps", schedule.warmup_steps);
}

template <class Fields>
void fields_of(Fields& fields, train::Clip& clip) {
  fields.optional("value", clip.value);
  fields.optional("norm", clip.norm);
}

template <class Fields>
void fields_of(Fields& fields, train::TensorGroup& group) {
  fields.required("tensors", group.tensors);
  fields.optional("learningRateScale", group.rate_scale);
  fields.optional("weightDecay", group.weight_decay);
  fields.optional("frozen", group.frozen);
}

template <class Fields>
void fields_of(Fields& fields, train::Crop& crop) {
  fields.optional("kind", crop.kind);
  if (crop.kind == train::CropKind::central) fields.optional("fraction", crop.fraction);
  if (crop.kind == train::CropKind::random) fields.optional("leastArea", crop.min_area);
}

template <class Fields>
void fields_of(Fields& fields, train::Image& image) {
  fields.required("height", image.height);
  fields.required("width", image.width);
  fields.optional("channels", image.channels);
  fields.optional("layout", image.layout);
  fields.optional("crop", image.crop);
  fields.optional("mirror", image.mirror);
  fields.optional("black", image.black);
  fields.optional("white", image.white);
}

// A feature with an image or a shape has no field `size`, since they determine it. With an image it has no `shape`.
template <class Fields>
void fields_of(Fields& fields, train::Feature& feature) {
  fields.required("type", feature.type);
  if constexpr (Fields::reads) {
    if (fields.has("image")) {
      feature.image.emplace();
    } else if (fields.has("shape")) {
      feature.shape.emplace();
    }
  }
  if (!feature.image && !feature.shape) fields.optional("size", feature.size);
  if (!feature.image) fields.optional("shape", feature.shape);
  fields.optional("image", feature.image);
  if (feature.type == train::FeatureType::text) {
    fields.optional("words", feature.words);
    fields.optional("buckets", feature.buckets);
  }
  if (feature.image) feature.size = value_count(*feature.image);
  if (feature.shape) feature.size = train::value_count(*feature.shape);
}

// Reads an object with a field for each feature, such as {x: {type: float32, size: 7}}. Afterwards `features` is sorted
// by name.
inline void read(const Node& node, const FieldPath& path, std::vector<train::Feature>& features) {
  const auto* map = std::get_if<Node::Map>(&node.value);
  if (!map)
    return path.report(node,
                       "is " + std::string(describe_type(node)) + "; must be an object with a field for each feature");
  for (const Entry& entry : *map) {
    train::Feature& feature = features.emplace_back();
    feature.name = entry.name;
    read(entry.node, path.below(entry.name), feature);
  }
  std::sort(features.begin(), features.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
}

inline void write(Node& node, const std::vector<train::Feature>& features) {
  Node::Map map;
  for (const train::Feature& feature : features) {
    write(map.emplace_back(Entry{feature.name, {}}).node, feature);
  }
  node.value = std::move(map);
}

template <class Fields>
void fields_of(Fields& fields, train::Interleave& interleave) {
  fields.optional("cycle", interleave.cycle);
  fields.optional("block", interleave.block);
}

template <class Fields>
void fields_of(Fields& fields, train::Shard& shard) {
  fields.required("count", shard.count);
  fields.required("index", shard.index);
}

template <class Fields>
void fields_of(Fields& fields, train::Shuffle& shuffle) {
  fields.optional("kind", shuffle.kind);
  fields.optional("block", shuffle.block);
  fields.optional("window", shuffle.window);
}

template <class Fields>
void fields_of(Fields& fields, train::Cache& cache) {
  fields.required("memory", cache.memory);
}

template <class Fields>
void fields_of(Fields& fields, train::Filter& filter) {
  fields.required("feature", filter.feature);
  fields.optional("min", filter.min);
  fields.optional("max", filter.max);
}

template <class Fields>
void fields_of(Fields& fields, train::Snapshot& snapshot) {
  fields.required("folder", snapshot.folder);
}

// A stage is an object with one field, whose name is the kind of the stage, such as {take: 100}.
template <class Fields>
void fields_of(Fields& fields, train::Stage& stage) {
  train::StageKind kind = train::kind_of(stage);
  fields.exactly_one("stage", kind);
  train::set_kind(stage, kind);
  const std::string_view name = train::spelled(kind);
  const auto list = train::overloaded{[&](train::Interleave& interleave) { fields.optional(name, interleave); },
                                      [&](train::Shard& shard) { fields.optional(name, shard); },
                                      [&](train::Skip& skip) { fields.optional(name, skip.records); },
                                      [&](train::Take& take) { fields.optional(name, take.records); },
                                      [&](train::Shuffle& shuffle) { fields.optional(name, shuffle); },
                                      [&](train::Repeat& repeat) { fields.optional(name, repeat.times); },
                                      [&](train::Cache& cache) { fields.optional(name, cache); },
                                      [&](train::Filter& filter) { fields.optional(name, filter); },
                                      [&](train::Snapshot& snapshot) { fields.optional(name, snapshot); }};
  std::visit(list, stage);
}

template <class Fields>
void fields_of(Fields& fields, train::MixedSet& set) {
  fields.required("files", set.files);
  fields.optional("stages", set.stages);
  fields.required("weight", set.weight);
}

template <class Fields>
void fields_of(Fields& fields, train::EvaluationData& evaluation) {
  fields.required("files", evaluation.files);
}

// With a mix the default is no stages, because each set of the mix is shuffled already. Validation refuses a job with
// both files and a mix.
template <class Fields>
void fields_of(Fields& fields, train::Data& data) {
  fields.group("train", [&](auto& train) {
    if (Fields::reads || !data.files.empty()) train.optional("files", data.files);
    if (Fields::reads || !data.mix.empty()) train.optional("mix", data.mix);
    if (Fields::reads && !data.mix.empty()) data.stages = {};
    if (!data.files.empty() || !data.mix.empty()) {
      train.refuse_empty_list("files");
      train.refuse_empty_list("mix");
    }
    train.optional("stages", data.stages);
  });
  fields.optional("eval", data.evaluation);
  fields.optional("onDamage", data.on_damage);
  fields.required("features", data.features);
}

template <class Fields>
void fields_of(Fields& fields, train::StoredName& name) {
  fields.required("tensor", name.tensor);
  if (Fields::reads || !name.stored_as.empty()) fields.optional("storedAs", name.stored_as);
  fields.optional("transposed", name.transposed);
}

template <class Fields>
void fields_of(Fields& fields, train::InitialWeights& weights) {
  fields.required("from", weights.from);
  fields.optional("tensors", weights.tensors);
  if (Fields::reads || !weights.names.empty()) fields.optional("names", weights.names);
}

template <class Fields>
void fields_of(Fields& fields, train::Training& training) {
  fields.required("batch", training.batch);
  fields.optional("lanes", training.lanes);
  fields.optional("epochs", training.epochs);
  fields.required("optimizer", training.optimizer);
  fields.optional("seed", training.seed);
  fields.optional("consistency", training.consistency);
  fields.optional("maxStaleness", training.max_staleness);
  fields.optional("reduction", training.reduction);
  fields.optional("deterministic", training.deterministic);
  if (Fields::reads || training.schedule != train::Schedule()) fields.optional("schedule", training.schedule);
  fields.optional("clip", training.clip);
  if (Fields::reads || !training.groups.empty()) fields.optional("groups", training.groups);
  fields.optional("patience", training.patience);
  fields.optional("initialWeights", training.initial_weights);
}

template <class Fields>
void fields_of(Fields& fields, train::Checkpoint& checkpoint) {
  fields.optional("folder", checkpoint.folder);
  fields.optional("everySeconds", checkpoint.every_seconds);
  fields.optional("everySteps", checkpoint.every_steps);
  fields.optional("keepLast", checkpoint.keep_last);
  fields.optional("keepEverySteps", checkpoint.keep_every_steps);
  fields.optional("resume", checkpoint.resume);
  fields.optional("onTaken", checkpoint.on_taken);
}

template <class Fields>
void fields_of(Fields& fields, train::Security& security) {
  fields.optional("tls", security.tls);
}

// The fields of `spec` with strategy Single or ParameterServer, which config.strategy must have already.
template <class Fields>
void fields_of_trainer_job(Fields& fields, JobSpec& spec) {
  train::Config& config = spec.config;
  if constexpr (Fields::reads) {
    config.workers = {1, 1};
    if (config.strategy != train::Strategy::single) config.ps = {1, 1};
  }
  fields.group("replicas", [&](auto& replicas) {
    RoleFields ps{config.ps, spec.ps_pod};
    RoleFields worker{WorkerReplicas{config.workers, spec.worker_count}, spec.worker_pod};
    const bool has_ps = config.ps != train::Replicas{};  // false for Single
    const bool is_single = config.strategy == train::Strategy::single;
    if (is_single) {
      replicas.refused("coordinator", "Single has no coordinator of its own; leave it out");
      replicas.refused("ps", "Single has no parameter servers; leave it out");
    } else {
      if (Fields::reads || spec.coordinator_pod != PodOptions()) replicas.optional("coordinator", spec.coordinator_pod);
      if (Fields::reads || has_ps) replicas.optional("ps", ps);
    }
    replicas.optional("worker", worker);
    config.ps = ps.replicas;
    spec.ps_pod = ps.pod;
    config.workers = worker.replicas.bounds;
    spec.worker_count = worker.replicas.count;
    spec.worker_pod = worker.pod;
  });
  fields.required("model", config.model);
  if constexpr (Fields::reads) config.worker_gpus = gpus_of_worker(spec);
  fields.required("data", config.data);
  fields.required("training", config.training);
  fields.optional("checkpoint", config.checkpoint);
  if (config.strategy == train::Strategy::single) {
    fields.refused("security", "Single is one process, which has no connection to another; leave it out");
  } else if (Fields::reads || config.security != train::Security()) {
    fields.optional("security", config.security);
  }
  for (const char* name : {"framework", "success"}) fields.refused(name, "is for strategy Own; leave it out");
}

template <class Fields>
void fields_of(Fields& fields, JobSpec& spec) {
  train::Strategy& of_trainer = spec.config.strategy;
  AnyStrategy strategy = spec.own                                ? AnyStrategy::own
                         : of_trainer == train::Strategy::single ? AnyStrategy::single
                                                                 : AnyStrategy::parameter_server;
  fields.required("strategy", strategy);
  if (strategy == AnyStrategy::own) {
    if (!spec.own) spec.own.emplace();
    fields_of_own(fields, spec);
  } else {
    of_trainer = strategy == AnyStrategy::single ? train::Strategy::single : train::Strategy::parameter_server;
    fields_of_trainer_job(fields, spec);
  }
  fields.optional("run", spec.run);
  for (const char* name : {"suspend", "backoffLimit", "drainSeconds"}) fields.moved(name, std::string("run.") + name);
}

}  // namespace carrack::control
