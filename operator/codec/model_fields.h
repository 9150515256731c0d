// The fields of `spec.model` in a TrainingJob's YAML and JSON: one fields_of() for each struct, which decodes and
// encodes it. spec_fields.h explains such lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "operator/codec/fields.h"
#include "trainer/launch/config.h"
#include "trainer/launch/overloaded.h"

namespace carrack::control {

// An entry of spec.model.layers, such as {kind: Dense, units: 32, activation: ReLU}. `kind` decides which other fields
// a layer has, so nothing else is checked if it is missing or unknown.
template <class Fields>
void fields_of(Fields& fields, train::Layer& layer) {
  train::Choice kind = train::kind_of(layer);
  // Reading begins with an unknown kind, so that a missing field is noticed.
  if (Fields::reads) kind = train::Choice(kind.words(), kind.words().size());
  fields.required("kind", kind);
  if (!kind.is_known()) return fields.skip_rest();
  if (kind != train::kind_of(layer)) layer = train::layer_of_kind(kind);
  if (Fields::reads || !layer.name.empty()) fields.optional("name", layer.name);
  if (Fields::reads || !layer.inputs.empty()) fields.optional("inputs", layer.inputs);
  for (std::size_t i = 0; i < layer.values.size(); ++i) {
    const train::LayerField& field = layer.kind->fields[i];
    if (Fields::reads && std::holds_alternative<train::AsSize>(field.initial))
      layer.values[i] = layer.get<std::vector<std::int64_t>>("size");
    const auto list = [&](auto& value) {
      field.is_required ? fields.required(field.name, value) : fields.optional(field.name, value);
    };
    std::visit(list, layer.values[i]);
  }
}

template <class Fields>
void fields_of(Fields& fields, train::Loss& loss) {
  fields.required("kind", loss.kind);
  fields.required("target", loss.target);
  if (Fields::reads || !loss.weight.empty()) fields.optional("weight", loss.weight);
  if (Fields::reads || !loss.mask.empty()) fields.optional("mask", loss.mask);
  if (loss.kind == train::LossKind::huber) fields.optional("delta", loss.delta);
}

template <class Fields>
void fields_of(Fields& fields, train::OwnInitial& initial) {
  fields.required("kind", initial.kind);
  fields.required("scale", initial.scale);
}

template <class Fields>
void fields_of(Fields& fields, train::OwnTensor& tensor) {
  fields.required("name", tensor.name);
  fields.required("shape", tensor.shape);
  if (Fields::reads || tensor.initial != train::OwnInitial()) fields.optional("initial", tensor.initial);
  if (Fields::reads || !tensor.trained) fields.optional("trained", tensor.trained);
}

template <class Fields>
void fields_of(Fields& fields, train::Model& model) {
  train::ModelKind kind = train::kind_of(model);
  fields.optional("kind", kind);
  train::set_kind(model, kind);
  const auto list = train::overloaded{[&](train::Layers& network) {
                                        fields.required("layers", network.layers);
                                        fields.required("loss", network.loss);
                                      },
                                      [&](train::LinearRegression& regression) {
                                        fields.required("input", regression.input);
                                        fields.required("target", regression.target);
                                      },
                                      [&](train::Tally& tally) {
                                        fields.required("record", tally.record);
                                        fields.required("records", tally.records);
                                      },
                                      [&](train::OwnModel& own) { fields.required("tensors", own.tensors); }};
  std::visit(list, model);
}

}  // namespace carrack::control
