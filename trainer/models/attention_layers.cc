#include "trainer/models/attention_layers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "trainer/models/initial_values.h"

namespace carrack::train {
namespace {

bool is_sequence(const Value& value) {
  return value.shape.size() == 3;
}

// The inputs of an attention layer. The first one is the sequence of queries. An optional second sequence, `memory`, is
// that from which keys and values are computed; without it they are computed from the queries. The last input may be a
// mask for the steps of `memory`. Refuses other inputs.
struct Sequences {
  explicit Sequences(LayerBuilder& builder) : queries(builder.inputs.front()), memory(queries) {
    const Graph& graph = builder.graph;
    if (!is_sequence(builder.input())) builder.refuse_without_steps();
    if (builder.inputs.size() > 3) builder.refuse("has more than three inputs");
    for (std::size_t i = 1; i < builder.inputs.size(); ++i) {
      const ValueId input = builder.inputs[i];
      if (i == 1 && is_sequence(graph.value(input))) {
        memory = input;
      } else if (i + 1 < builder.inputs.size()) {
        builder.refuse("reads " + text(graph.value(input)) + "; needs time steps there, such as [rows, steps, values]");
      } else {
        mask.push_back(input);
      }
    }
    if (mask.empty()) return;
    const Dimensions steps{batch_rows, graph.value(memory).shape[1]};
    if (graph.value(mask[0]).shape != steps) {
      builder.refuse("has the mask " + text(graph.value(mask[0])) + "; needs a value for each time step of " +
                     text(graph.value(memory)));
    }
    if (std::ranges::find(graph.inputs(), mask[0]) == graph.inputs().end()) {
      builder.refuse("has '" + graph.value(mask[0]).name + "' as its mask, which is a layer; needs a feature");
    }
  }

  ValueId queries, memory;
  std::vector<ValueId> mask;
};

// A product along the last dimension, and a bias. `kernel` and `bias` are the shapes that TensorFlow has for the
// weights of this layer, so that weights can be read from its files. A matrix product here needs two dimensions, so
// projected() reshapes the weights.
struct Projection {
  std::string prefix;
  Shape kernel, bias;
  std::int64_t outputs;
};

// Appends the projection of `x`, a sequence [rows, steps, values], and returns it as [rows, steps, outputs].
ValueId projected(LayerBuilder& builder, ValueId x, const Projection& by) {
  Graph& graph = builder.graph;
  const Dimensions from = graph.value(x).shape;
  const auto weights = [&](const char* name, const Shape& shape, InitialValues initial, const Dimensions& as) {
    const ValueId parameter = builder.parameter(by.prefix + name, shape, initial);
    return graph.value(parameter).shape == as ? parameter : builder.reshape(parameter, as);
  };
  const ValueId matrix = builder.reshape(x, {{from[1].count, true}, from[2]});
  const ValueId kernel =
      weights("kernel", by.kernel, builder.initializer_of("kernelInitializer", by.kernel), {from[2], by.outputs});
  ValueId output = graph.matmul(builder.name, matrix, kernel);
  if (builder.layer.get<bool>("bias")) {
    output = graph.add(builder.name, output, weights("bias", by.bias, zeros, {by.outputs}));
  }
  return builder.reshape(output, {from[0], from[1], by.outputs});
}

}  // namespace

ValueId multi_head_attention(LayerBuilder& builder) {
  const Sequences sequences(builder);
  const auto heads = builder.layer.get<std::int64_t>("heads"), size = builder.layer.get<std::int64_t>("keySize");
  const auto width = [&](ValueId of) { return builder.graph.value(of).shape[2].count; };
  const auto of_heads = [&](ValueId x, const char* prefix) {
    return projected(builder, x, {prefix, {width(x), heads, size}, {heads, size}, heads * size});
  };
  std::vector<ValueId> inputs{of_heads(sequences.queries, "query_"), of_heads(sequences.memory, "key_"),
                              of_heads(sequences.memory, "value_")};
  inputs.insert(inputs.end(), sequences.mask.begin(), sequences.mask.end());
  const Attributes attributes{{"q_num_heads", heads}, {"is_causal", std::int64_t{builder.layer.get<bool>("causal")}}};
  const ValueId means = builder.graph.append("Attention", attributes, std::move(inputs), builder.name);
  const std::int64_t outputs = width(sequences.queries);
  return projected(builder, means, {"output_", {heads, size, outputs}, {outputs}, outputs});
}

ValueId position_embedding(LayerBuilder& builder) {
  if (!is_sequence(builder.input())) builder.refuse_without_steps();
  const Dimensions& shape = builder.input().shape;
  const Shape table{shape[1].count, shape[2].count};
  const ValueId embeddings = builder.parameter("embeddings", table, {InitialValues::Kind::uniform, embedding_limit});
  return builder.graph.add(builder.name, builder.inputs.front(), embeddings);
}

}  // namespace carrack::train
