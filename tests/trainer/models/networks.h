// Layers by the fields that tests set, and features for them to read.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainer/kernels/shape.h"
#include "trainer/launch/config.h"

namespace carrack::train {

inline const Data data{{},
                       {{"bytes", FeatureType::uint8, 2},
                        {"class", FeatureType::int64, 1},
                        {"classes", FeatureType::int64, 2},
                        {"importance", FeatureType::float32, 1},
                        {"label", FeatureType::int64, 1, {}, Shape{1, 1}},
                        {"steps", FeatureType::float32, 6, {}, Shape{2, 3}},
                        {"x", FeatureType::float32, 3},
                        {"y", FeatureType::float32, 2},
                        {"z", FeatureType::float32, 4}}};

// Sets it to a word that must be one of its choices. No googletest here: tests of GPUs run without.
inline void choose(Choice& word, std::string_view choice) {
  if (!word.choose(choice)) throw std::invalid_argument("no choice: " + std::string(choice));
}

inline Layer of_kind(std::string_view kind, std::vector<std::string> inputs = {}, std::string name = "") {
  Choice word = kind_of(Layer());
  choose(word, kind);
  Layer layer = layer_of_kind(word);
  layer.inputs = std::move(inputs);
  layer.name = std::move(name);
  return layer;
}

inline Layer dense(std::int64_t units, std::vector<std::string> inputs = {}, std::string name = "") {
  Layer layer = of_kind("Dense", std::move(inputs), std::move(name));
  layer.set("units", units);
  return layer;
}

inline Layer with_units(Layer layer, std::int64_t units) {
  layer.set("units", units);
  return layer;
}

inline Layer repeat(std::int64_t times) {
  Layer layer = of_kind("RepeatVector");
  layer.set("times", times);
  return layer;
}

inline Layer with_epsilon(double epsilon, Layer layer = of_kind("LayerNorm")) {
  layer.set("epsilon", epsilon);
  return layer;
}

inline Layer with_momentum(double momentum, std::vector<std::string> inputs = {}) {
  Layer layer = of_kind("BatchNorm", std::move(inputs));
  layer.set("momentum", momentum);
  return layer;
}

inline Layer with_rate(double rate) {
  Layer layer = of_kind("Dropout");
  layer.set("rate", rate);
  return layer;
}

inline Layer reshaped(Shape shape, std::vector<std::string> inputs = {}) {
  Layer layer = of_kind("Reshape", std::move(inputs));
  layer.set("shape", std::move(shape));
  return layer;
}

inline Layer with(Layer layer, std::string_view field, std::string_view word) {
  Choice value = layer.get<Choice>(field);
  choose(value, word);
  layer.set(field, value);
  return layer;
}

inline const Loss mse{LossKind::mse, "y"};

}  // namespace carrack::train
