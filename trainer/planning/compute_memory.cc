#include "trainer/planning/compute_memory.h"

#include <algorithm>

#include "trainer/graph/gradient.h"
#include "trainer/graph/memory_plan.h"
#include "trainer/kernels/attention.h"
#include "trainer/kernels/convolution.h"
#include "trainer/kernels/matrix.h"
#include "trainer/kernels/normalization.h"
#include "trainer/kernels/recurrent.h"

namespace carrack::train {
namespace {

double elements_of(const Value& value, double rows) {
  double elements = 1;
  for (const Dimension& dimension : value.shape) {
    elements *= static_cast<double>(dimension.count) * (dimension.of_rows ? rows : 1);
  }
  return elements;
}

// Returns the size of the arena, the memory for the results of all operators, for `rows` rows. If the size could
// overflow, plans for fewer rows and scales the result, because nearly all results grow with the number of rows.
double arena_of(const Gradients& gradients, std::int64_t rows) {
  double row_bytes = 1;
  for (const Value& value : gradients.graph.values()) row_bytes += elements_of(value, 1) * sizeof(std::int64_t);
  const double most = std::max(1.0, 0x1p60 / row_bytes);
  const auto planned = static_cast<std::int64_t>(std::min(static_cast<double>(rows), most));
  if (planned == 0) return 0;
  return static_cast<double>(memory_plan(gradients, planned).bytes) *
         (static_cast<double>(rows) / static_cast<double>(planned));
}

class KernelMemory {
 public:
  KernelMemory(const Graph& graph, double rows, std::int64_t lanes)
      : graph_(graph), rows_(rows), lanes_(static_cast<double>(lanes)) {
    for (const Node& node : graph.nodes()) add(node);
  }

  double retained() const { return weights_ + orders_ + normalization_; }
  double of_thread() const { return packed_ + recurrent_ + attention_ + convolution_; }

 private:
  double elements(ValueId value) const { return elements_of(graph_.value(value), rows_); }

  void add(const Node& node) {
    if (node.op->name == "MatMul" || node.op->name == "Gemm") add_product(node);
    if (node.op->name == "LSTM") add_recurrent(node, 4);
    if (node.op->name == "GRU") add_recurrent(node, 3);
    if (node.op->name == "Attention") add_attention(node);
    // Only the convolution is counted and not its gradients, because they use the same memory after it.
    if (node.op->name == "Conv") add_convolution(node);
    // The gradient of a normalization, too, uses the memory of the normalization.
    if (node.op->name == "BatchNormalization") add_normalization(node);
    // With lanes (shares of a batch), each ScatterAdd retains a list of the rows in the order of their indices.
    if (node.op->name == "ScatterAdd" && lanes_ > 0) orders_ += elements(node.inputs[0]) * sizeof(std::int64_t);
  }

  // A product of two matrices first copies (packs) parts of them. A product with a vector does not.
  void add_product(const Node& node) {
    const double a = elements(node.inputs[0]), b = elements(node.inputs[1]);
    const Dimensions& shape = graph_.value(node.outputs[0]).shape;
    const auto is_one = [&](const Dimension& dimension) {
      return static_cast<double>(dimension.count) * (dimension.of_rows ? rows_ : 1) == 1;
    };
    if (shape.size() < 2 || std::ranges::any_of(shape, is_one)) return;
    add_packed((a + b) * sizeof(float));
  }

  void add_recurrent(const Node& node, std::int64_t gates) {
    const std::int64_t inputs = graph_.value(node.inputs[1]).shape[0].count;
    const std::int64_t units = graph_.value(node.inputs[2]).shape[0].count;
    weights_ = std::max(weights_, recurrent_weights_bytes(inputs, units, gates));
    recurrent_ = std::max(recurrent_, std::min<double>(rows_, recurrent_rows_max) * recurrent_row_bytes(inputs, units));
    add_packed((elements(node.inputs[1]) + elements(node.inputs[2])) * sizeof(float));
  }

  void add_attention(const Node& node) {
    const Dimensions &q = graph_.value(node.inputs[0]).shape, &v = graph_.value(node.inputs[2]).shape;
    const auto heads = node.attributes.get<std::int64_t>("q_num_heads");
    attention_ = std::max(attention_, attention_thread_bytes({.queries = q[1].count,
                                                              .keys = v[1].count,
                                                              .key_size = q[2].count / heads,
                                                              .value_size = v[2].count / heads}));
    add_packed(cpu::gemm_thread_bytes_max);
  }

  // Counts the memory for patches, which are copies of the windows of an image. A convolution whose windows are single
  // pixels may need none, so the result can be too high.
  void add_convolution(const Node& node) {
    const Dimensions& weights = graph_.value(node.inputs[1]).shape;
    const auto groups = node.attributes.get_or<std::int64_t>("group", 1);
    convolution_ = std::max(convolution_, convolution_thread_bytes({.height = {.size = weights[0].count},
                                                                    .width = {.size = weights[1].count},
                                                                    .channels = weights[2].count * groups,
                                                                    .filters = weights[3].count,
                                                                    .groups = groups}));
    add_packed(cpu::gemm_thread_bytes_max);
  }

  void add_normalization(const Node& node) {
    const double width = static_cast<double>(graph_.value(node.inputs[0]).shape.back().count);
    const double rows = elements(node.inputs[0]) / width;
    normalization_ = std::max(normalization_, normalization_bytes(rows, width, std::max(1.0, lanes_)));
  }

  void add_packed(double bytes) { packed_ = std::max(packed_, std::min<double>(bytes, cpu::gemm_thread_bytes_max)); }

  const Graph& graph_;
  double rows_;
  double lanes_;
  // Each of these is the largest need of a node of its kind, because the nodes of a kind use the same memory in turn.
  double packed_ = 0, recurrent_ = 0, attention_ = 0, convolution_ = 0, weights_ = 0, normalization_ = 0;
  double orders_ = 0;  // the sum over all ScatterAdd nodes, because each has a list of its own
};

}  // namespace

ComputeMemory compute_memory(const ModelGraph& model, std::int64_t rows, std::int64_t lanes) {
  if (!model.loss) return {};
  const Gradients all = gradients(model.graph, *model.loss);
  const KernelMemory kernels(all.graph, static_cast<double>(rows), lanes);
  return {.arena = arena_of(all, rows), .retained = kernels.retained(), .of_thread = kernels.of_thread()};
}

std::vector<ValueId> results_of(const InferenceGraph& graph) {
  std::vector<ValueId> results{graph.output};
  if (!graph.record_losses) return results;
  results.push_back(*graph.record_losses);
  if (graph.target) results.push_back(*graph.target);
  return results;
}

std::uint64_t inference_memory(const InferenceGraph& graph, std::int64_t rows) {
  const Gradients none{graph.graph, {}, {}, {}};
  return static_cast<std::uint64_t>(memory_plan(none, rows, MemoryReuse::on, results_of(graph)).bytes);
}

}  // namespace carrack::train
