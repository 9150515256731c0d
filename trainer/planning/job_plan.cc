#include "trainer/planning/job_plan.h"

#include <algorithm>

#include "dataloader/storage/gcs/upload_requests.h"
#include "trainer/models/model.h"
#include "trainer/optimizer/optimizer.h"
#include "trainer/planning/gpu_memory.h"

namespace carrack::train {
namespace {

// A model of kind Own, which the user's program computes, counts as a single layer with all tensors: Carrack does not
// know its layers.
std::vector<LayerPlan> layers_of(const ModelGraph& model, const Layout& layout) {
  if (!model.loss) {
    const auto tensors = static_cast<std::int64_t>(layout.tensors().size());
    return {{.name = "the job's program", .output = "", .tensors = tensors, .parameters = layout.size()}};
  }
  std::vector<LayerPlan> layers;
  auto parameter = model.parameters.begin();
  for (const LayerOutput& layer : model.layers) {
    LayerPlan plan{.name = layer.name,
                   .output = text(model.graph.value(layer.value).shape),
                   .tensors = static_cast<std::int64_t>(layer.parameters)};
    for (std::size_t i = 0; i < layer.parameters; ++i) plan.parameters += element_count((parameter++)->shape);
    layers.push_back(std::move(plan));
  }
  return layers;
}

std::vector<GroupPlan> groups_of(const Config& config, const Layout& layout) {
  const std::vector<TensorGroup>& groups = config.training.groups;
  std::vector<GroupPlan> plans(groups.size());
  for (const PlacedTensor& tensor : layout.tensors()) {
    const TensorGroup* group = group_of(groups, tensor.name);
    if (group == nullptr) continue;
    GroupPlan& plan = plans[static_cast<std::size_t>(group - groups.data())];
    ++plan.tensors;
    plan.parameters += tensor.range.size();
  }
  return plans;
}

Division division_of(const Config& config, bool by_lanes) {
  const Training& training = config.training;
  const int workers = config.workers.max;
  const Shares shares =
      by_lanes ? shares_of(training.batch, training.lanes, workers) : equal_shares_of(training.batch, workers);
  Division division{by_lanes, shares, std::nullopt};
  if (by_lanes && division.shares.waiting > waiting_max) {
    division.better_lanes = better_lanes(training.batch, training.lanes, workers);
  }
  return division;
}

void divide(const Config& config, JobPlan& plan) {
  if (config.workers.max <= 1 || config.training.consistency != Consistency::sync) return;
  const bool by_lanes = has_lanes_with_own_records(config);
  plan.division = division_of(config, by_lanes);
  if (!by_lanes && allows_first_pass(config)) plan.division_without_index = division_of(config, true);
}

MemoryOfProcess server_of(const Config& config, const Layout& layout) {
  const std::vector<Range> all = ranges_by_server(layout, config.ps.max);
  const auto largest = std::ranges::max_element(all, {}, &Range::size);
  return {config.ps.max, server_memory(config, largest->size(), false)};
}

void add_gpus(JobMemory& memory, const Config& config, const ModelGraph& model) {
  if (config.worker_gpus == 0) return;
  const BatchUnits share = planned_gpu_share(config, model, config.training.batch);
  memory.gpu = MemoryOfProcess{std::max(1, config.workers.max) * config.worker_gpus, gpu_memory(model, share)};
  memory.gpu_min = bytes_at_most(gpu_memory(model, share.with(1)));
}

JobMemory memory_of(const Config& config, const ModelGraph& model, const Layout& layout,
                    const std::optional<Division>& division, unsigned cpus) {
  ProcessSize process{.one_process = config.strategy == Strategy::single, .cpus = cpus};
  if (process.one_process) {
    JobMemory memory{
        .single = MemoryOfProcess{1, all_roles_memory(config, layout.size(), worker_memory(config, model, process))}};
    add_gpus(memory, config, model);
    return memory;
  }
  const double only_worker = bytes_needed(worker_memory(config, model, process));
  if (division) process.records = division->shares.most;
  std::optional<MemoryOfProcess> coordinator;
  if (config.data.evaluation) coordinator = MemoryOfProcess{1, evaluation_memory(config)};
  JobMemory memory{.coordinator = coordinator,
                   .server = server_of(config, layout),
                   .worker = MemoryOfProcess{config.workers.max, worker_memory(config, model, process)},
                   .only_worker = only_worker};
  add_gpus(memory, config, model);
  return memory;
}

// A checkpoint consists of a shard of each server, an index and a manifest. A commit takes three more requests for
// HEAD, the object that names the last commit: the coordinator looks it up, reads it and replaces it.
CheckpointPlan checkpoint_of(const Config& config, const Layout& layout) {
  const auto bytes_of = [&](std::int64_t elements) {
    return static_cast<std::uint64_t>(elements) * sizeof(float) * (1 + state_names(config.training.optimizer).size());
  };
  const std::vector<Range> servers = ranges_by_server(layout, std::max(1, config.ps.max));
  CheckpointPlan plan{.bytes = static_cast<double>(bytes_of(layout.size())),
                      .files = static_cast<int>(servers.size()) + 2};
  if (!is_remote(config.checkpoint.folder)) return plan;
  for (const Range& server : servers) plan.requests_to_write += data::upload_requests(bytes_of(server.size()));
  plan.requests_to_write += 2 * data::upload_requests(0) + 3;
  // One request lists the names, and one removes each file.
  plan.requests_to_remove = 1 + static_cast<std::uint64_t>(plan.files);
  return plan;
}

}  // namespace

JobPlan job_plan(const Config& config, unsigned cpus) {
  const ModelGraph model = model_graph(config.model, config.data);
  const Layout layout = layout_of(model);
  JobPlan plan{.layers = layers_of(model, layout), .groups = groups_of(config, layout)};
  divide(config, plan);
  plan.memory = memory_of(config, model, layout, plan.division, cpus);
  plan.checkpoint = checkpoint_of(config, layout);
  plan.reads = read_sets(config.data);
  return plan;
}

}  // namespace carrack::train
