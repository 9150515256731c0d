#include "trainer/models/layer_kinds.h"

#include <algorithm>
#include <cmath>

#include "trainer/error.h"

namespace carrack::train {
namespace {

// Initial weights are uniform over [-limit, limit].
float limit_of(const Word& initializer, std::int64_t inputs, std::int64_t units) {
  const auto root = [](double over, std::int64_t count) {
    return static_cast<float>(std::sqrt(over / static_cast<double>(count)));
  };
  if (initializer.text() == "GlorotUniform") return root(6, inputs + units);
  if (initializer.text() == "HeUniform") return root(6, inputs);
  if (initializer.text() == "LecunUniform") return root(3, inputs);
  return 0;
}

// The number of values of a record; the layer must read one row of them for each record.
std::int64_t row_size(const LayerBuilder& builder) {
  const Dimensions& shape = builder.input().shape;
  if (shape.size() != 2 || shape[0] != batch_rows)
    builder.refuse("reads " + text(builder.input()) + "; needs rows of values");
  return shape[1].count;
}

ValueId dense(LayerBuilder& builder) {
  const std::int64_t inputs = row_size(builder);
  const auto units = builder.layer.get<std::int64_t>("units");
  const float limit = limit_of(builder.layer.get<Word>("kernelInitializer"), inputs, units);
  const ValueId kernel = builder.parameter("kernel", {inputs, units}, limit);
  ValueId output = builder.graph.matmul(builder.name, builder.inputs.front(), kernel);
  if (builder.layer.get<bool>("bias")) {
    output = builder.graph.add(builder.name, output, builder.parameter("bias", {units}, 0));
  }
  return builder.activate(output);
}

ValueId activation(LayerBuilder& builder) {
  return builder.activate(builder.inputs.front());
}

// Along the last axis.
ValueId concat(LayerBuilder& builder) {
  const auto axis = std::ssize(builder.input().shape) - 1;
  return builder.graph.append("Concat", {{"axis", std::int64_t{axis}}}, builder.inputs, builder.name);
}

struct Entry {
  std::string_view kind;
  ValueId (*append)(LayerBuilder& builder);
};
constexpr Entry entries[] = {{"Dense", dense}, {"Activation", activation}, {"Concat", concat}};

}  // namespace

ValueId LayerBuilder::parameter(std::string_view suffix, const Shape& shape, float limit) {
  const std::string whole = name + "/" + std::string(suffix);
  parameters.push_back({whole, shape, limit});
  return graph.parameter(whole, shape);
}

ValueId LayerBuilder::activate(ValueId x) {
  const std::string_view function = layer.get<Word>("activation").text();
  if (function == "Linear") return x;
  return graph.append(function == "ReLU" ? "Relu" : function, {}, {x}, name);
}

void LayerBuilder::refuse(const std::string& what) const {
  throw Error(Blame::user, graph.path() + ": " + what);
}

ValueId append_layer(LayerBuilder builder) {
  const auto entry = std::ranges::find(entries, builder.layer.kind->name, &Entry::kind);
  if (entry == std::end(entries)) {
    throw Error(Blame::bug, "a layer of kind " + std::string(builder.layer.kind->name) + ", which nothing builds");
  }
  return entry->append(builder);
}

}  // namespace carrack::train
