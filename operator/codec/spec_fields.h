// The fields of `spec`, as docs/reference/trainingjob.md lists them.
#pragma once

#include <algorithm>

#include "operator/codec/fields.h"
#include "trainer/launch/overloaded.h"

namespace carrack::control {

// `count` stands for both bounds.
template <class Fields>
void fields_of(Fields& fields, train::Replicas& replicas) {
  if constexpr (Fields::reads) {
    if (fields.has("count")) {
      fields.required("count", replicas.max);
      replicas.min = replicas.max;
      return;
    }
    fields.required("min", replicas.min);
    fields.required("max", replicas.max);
  } else if (replicas.min == replicas.max) {
    fields.required("count", replicas.max);
  } else {
    fields.required("min", replicas.min);
    fields.required("max", replicas.max);
  }
}

template <class Fields>
void fields_of(Fields& fields, Requests& requests) {
  if (Fields::reads || !requests.cpu.empty()) fields.optional("cpu", requests.cpu);
  if (Fields::reads || !requests.memory.empty()) fields.optional("memory", requests.memory);
}

// What stands together in the manifest, and apart in a JobSpec: the trainer is not told what its pod asks for.
struct RoleFields {
  train::Replicas replicas;
  Requests requests;
};

template <class Fields>
void fields_of(Fields& fields, RoleFields& role) {
  fields_of(fields, role.replicas);
  if (Fields::reads || role.requests != Requests()) fields.optional("requests", role.requests);
}

// The kind chooses the other fields.
template <class Fields, class Union, class Kind>
void kind_of_union(Fields& fields, Union& value, Kind kind) {
  fields.required("kind", kind);
  train::set_kind(value, kind);
}

template <class Fields>
void fields_of(Fields& fields, train::Model& model) {
  kind_of_union(fields, model, train::kind_of(model));
  if (auto* regression = std::get_if<train::LinearRegression>(&model)) {
    fields.required("input", regression->input);
    fields.required("target", regression->target);
  } else if (auto* tally = std::get_if<train::Tally>(&model)) {
    fields.required("record", tally->record);
    fields.required("records", tally->records);
  }
}

template <class Fields>
void fields_of(Fields& fields, train::Optimizer& optimizer) {
  kind_of_union(fields, optimizer, train::kind_of(optimizer));
  std::visit([&](auto& rule) { fields.optional("learningRate", rule.learning_rate); }, optimizer);
  if (auto* adam = std::get_if<train::Adam>(&optimizer)) {
    fields.optional("beta1", adam->beta1);
    fields.optional("beta2", adam->beta2);
    fields.optional("epsilon", adam->epsilon);
  }
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

// The size of an image follows from what is asked of it.
template <class Fields>
void fields_of(Fields& fields, train::Feature& feature) {
  fields.required("type", feature.type);
  if constexpr (Fields::reads) {
    if (fields.has("image")) feature.image.emplace();
  }
  if (!feature.image) fields.optional("size", feature.size);
  fields.optional("image", feature.image);
  if (feature.image) feature.size = value_count(*feature.image);
}

// Features are an object, name by name.
inline void read(const Node& node, const Place& place, std::vector<train::Feature>& features) {
  const auto* map = std::get_if<Node::Map>(&node.value);
  if (!map) return place.complain(node, "is " + std::string(shape_of(node)) + "; must be an object, name by name");
  for (const Entry& entry : *map) {
    train::Feature& feature = features.emplace_back();
    feature.name = entry.name;
    read(entry.node, place.below(entry.name), feature);
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

// The name of its one field says which stage it is.
template <class Fields>
void fields_of(Fields& fields, train::Stage& stage) {
  train::StageKind kind = train::kind_of(stage);
  fields.one_of("stage", kind);
  train::set_kind(stage, kind);
  const std::string_view name = train::spelled(kind);
  if (auto* skip = std::get_if<train::Skip>(&stage)) fields.optional(name, skip->records);
  if (auto* take = std::get_if<train::Take>(&stage)) fields.optional(name, take->records);
  if (auto* repeat = std::get_if<train::Repeat>(&stage)) fields.optional(name, repeat->times);
  if (auto* interleave = std::get_if<train::Interleave>(&stage)) fields.optional(name, *interleave);
  if (auto* shard = std::get_if<train::Shard>(&stage)) fields.optional(name, *shard);
  if (auto* shuffle = std::get_if<train::Shuffle>(&stage)) fields.optional(name, *shuffle);
  if (auto* cache = std::get_if<train::Cache>(&stage)) fields.optional(name, *cache);
  if (auto* filter = std::get_if<train::Filter>(&stage)) fields.optional(name, *filter);
  if (auto* snapshot = std::get_if<train::Snapshot>(&stage)) fields.optional(name, *snapshot);
}

template <class Fields>
void fields_of(Fields& fields, train::MixedSet& set) {
  fields.required("files", set.files);
  fields.optional("stages", set.stages);
  fields.required("weight", set.weight);
}

// A mix is of sets that have been shuffled already. That it stands beside files is for who validates to say.
template <class Fields>
void fields_of(Fields& fields, train::Data& data) {
  fields.group("train", [&](auto& train) {
    if (Fields::reads || !data.files.empty()) train.optional("files", data.files);
    if (Fields::reads || !data.mix.empty()) train.optional("mix", data.mix);
    if (Fields::reads && !data.mix.empty()) data.stages = {};
    train.optional("stages", data.stages);
  });
  fields.required("features", data.features);
}

template <class Fields>
void fields_of(Fields& fields, train::Training& training) {
  fields.required("batch", training.batch);
  fields.optional("lanes", training.lanes);
  fields.optional("epochs", training.epochs);
  fields.required("optimizer", training.optimizer);
  fields.optional("seed", training.seed);
  fields.optional("consistency", training.consistency);
  fields.optional("reduction", training.reduction);
  fields.optional("deterministic", training.deterministic);
}

template <class Fields>
void fields_of(Fields& fields, train::Checkpoint& checkpoint) {
  fields.optional("folder", checkpoint.folder);
  fields.optional("everySteps", checkpoint.every_steps);
  fields.optional("resume", checkpoint.resume);
}

template <class Fields>
void fields_of(Fields& fields, JobSpec& spec) {
  train::Config& config = spec.config;
  fields.required("strategy", config.strategy);
  if constexpr (Fields::reads) {
    config.workers = {1, 1};
    if (config.strategy != train::Strategy::single) config.ps = {1, 1};
  }
  fields.group("replicas", [&](auto& replicas) {
    RoleFields ps{config.ps, spec.ps_requests};
    RoleFields worker{config.workers, spec.worker_requests};
    // Single has none.
    if (Fields::reads || config.ps != train::Replicas{}) replicas.optional("ps", ps);
    replicas.optional("worker", worker);
    config.ps = ps.replicas;
    spec.ps_requests = ps.requests;
    config.workers = worker.replicas;
    spec.worker_requests = worker.requests;
  });
  fields.required("model", config.model);
  fields.required("data", config.data);
  fields.required("training", config.training);
  fields.optional("checkpoint", config.checkpoint);
  fields.optional("backoffLimit", spec.backoff_limit);
  fields.optional("drainSeconds", spec.drain);
  fields.optional("suspend", spec.suspend);
}

}  // namespace carrack::control
