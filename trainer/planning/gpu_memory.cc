#include "trainer/planning/gpu_memory.h"

#include <algorithm>
#include <bit>
#include <span>

#include "trainer/graph/gradient.h"
#include "trainer/kernels/attention.h"
#include "trainer/kernels/normalization.h"
#include "trainer/kernels/rounding.h"
#include "trainer/kernels/rows.h"
#include "trainer/planning/compute_memory.h"
#include "trainer/planning/reading.h"
#include "trainer/planning/shares.h"

namespace carrack::train {
namespace {

// True if an operator computes over all records of a batch together, so they cannot be computed in parts.
bool computes_over_records(const Graph& graph) {
  return graph.sum_in_use() ||
         std::ranges::any_of(graph.nodes(), [](const Node& node) { return node.op->name == "BatchNormalization"; });
}

// Returns how many bytes of working memory the GPU kernel of a node needs, in addition to its inputs and outputs.
double working_bytes(const Graph& graph, const Node& node, std::int64_t rows, std::int64_t lanes) {
  const std::string_view op = node.op->name;
  const auto shape = [&](std::size_t input) -> const Dimensions& { return graph.value(node.inputs[input]).shape; };
  if (op == "ScatterAdd") {
    double indices = 1;
    for (const Dimension& dimension : shape(0)) indices *= static_cast<double>(dimension.with_rows(rows));
    return static_cast<double>(cuda::scatter_add_numbers(1)) * indices * sizeof(std::int64_t);
  }
  if (op == "BatchNormalization" || op == "BatchNormalizationGradient") {
    Table table{1, shape(0).back().count};
    for (const Dimension& dimension : std::span(shape(0)).first(shape(0).size() - 1)) {
      table.rows *= dimension.with_rows(rows);
    }
    return static_cast<double>(cuda::batch_normalization_floats(table, lanes)) * sizeof(float);
  }
  if (op == "Attention" || op == "AttentionGradient") {
    // Attention has the inputs Q, K and V. AttentionGradient has one more input before them: the result's gradient.
    const bool is_gradient = op == "AttentionGradient";
    const std::size_t q = is_gradient ? 1 : 0;
    const AttentionShape of{.rows = rows,
                            .queries = shape(q)[1].count,
                            .keys = shape(q + 2)[1].count,
                            .heads = node.attributes.get<std::int64_t>("q_num_heads")};
    return (is_gradient ? 2.0 : 1.0) * static_cast<double>(cuda::attention_scratch_floats(of)) * sizeof(float);
  }
  return 0;
}

// Returns the largest part that one GPU computes of a batch of `records` records, if `workers` workers divide it.
BatchUnits share_of(const Config& config, const ModelGraph& model, std::int64_t records, int workers) {
  const Training& training = config.training;
  const std::int64_t gpus = std::max(1, config.worker_gpus);
  if (training.deterministic) {
    // A worker computes its lanes (shares of the batch) one subtree at a time, and its GPUs divide each subtree. The
    // largest subtree has as many lanes as the largest power of two that is not above the worker's number of lanes.
    const auto lanes = static_cast<std::uint64_t>(divided_up(training.lanes, workers));
    const auto largest = static_cast<std::int64_t>(std::bit_floor(lanes));
    return {std::max<std::int64_t>(1, largest / gpus), training.lanes, records, true};
  }
  const bool by_lanes = has_lanes_with_own_records(config);
  const std::int64_t of_worker =
      (by_lanes ? shares_of(records, training.lanes, workers) : equal_shares_of(records, workers)).most;
  // Each GPU computes at least two records (see SplitExecutor), so a small share is divided among fewer GPUs.
  const std::int64_t share = divided_up(of_worker, std::clamp<std::int64_t>(of_worker / 2, 1, gpus));
  if (computes_over_records(model.graph)) return {1, 1, share};
  return {share, share, share};
}

}  // namespace

std::vector<MemoryEntry> gpu_memory(const ModelGraph& model, const BatchUnits& part) {
  const double copy = static_cast<double>(layout_of(model).size()) * sizeof(float);
  const std::int64_t records = part.records();
  std::vector<MemoryEntry> entries{{"parameters", copy},
                                   {"a sum of gradients", copy},
                                   {"records", bytes_of_row(model) * static_cast<double>(records), MemoryOf::batch}};
  if (!model.loss) return entries;
  const double results = compute_memory(model, records, part.are_lanes ? part.units : 0).arena;
  entries.push_back({"results of the layers", results, MemoryOf::results});
  const Graph graph = gradients(model.graph, *model.loss).graph;
  double working = 0;  // the largest of all kernels: they run one after the other, and use the same memory
  for (const Node& node : graph.nodes()) {
    working = std::max(working, working_bytes(graph, node, records, part.are_lanes ? part.units : 1));
  }
  if (working > 0) entries.push_back({"working memory of kernels", working, MemoryOf::results});
  return entries;
}

BatchUnits planned_gpu_share(const Config& config, const ModelGraph& model, std::int64_t records) {
  const bool is_sync = config.training.consistency == Consistency::sync;
  return share_of(config, model, std::max<std::int64_t>(1, records), is_sync ? std::max(1, config.workers.min) : 1);
}

BatchUnits lone_gpu_share(const Config& config, const ModelGraph& model, std::int64_t records) {
  return share_of(config, model, std::max<std::int64_t>(1, records), 1);
}

std::optional<BatchUnits> fitting_part(const ModelGraph& model, BatchUnits share, double bytes) {
  while (bytes_at_most(gpu_memory(model, share)) > bytes) {
    if (share.units == 1) return std::nullopt;
    share = share.with((share.units + 1) / 2);
  }
  return share;
}

}  // namespace carrack::train
