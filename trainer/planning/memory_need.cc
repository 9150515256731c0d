#include "trainer/planning/memory_need.h"

#include <algorithm>
#include <bit>

#include "dataloader/records/inflated_source.h"
#include "dataloader/text.h"
#include "trainer/error.h"
#include "trainer/kernels/lanes.h"
#include "trainer/launch/quantity.h"
#include "trainer/optimizer/optimizer.h"
#include "trainer/planning/compute_memory.h"
#include "trainer/planning/reading.h"

namespace carrack::train {
namespace {

double bytes_of_caches(const std::vector<Stage>& stages) {
  double bytes = 0;
  for (const Stage& stage : stages) {
    const auto* cache = std::get_if<Cache>(&stage);
    if (cache != nullptr) bytes += static_cast<double>(parse_quantity(cache->memory).value());
  }
  return bytes;
}

double bytes_of_caches(const Data& data) {
  double bytes = bytes_of_caches(data.stages);
  for (const MixedSet& set : data.mix) bytes += bytes_of_caches(set.stages);
  return bytes;
}

double size_of(FeatureType type) {
  return model_type(type) == FeatureType::int64 ? sizeof(std::int64_t) : sizeof(float);
}

std::string count_of(double count, const std::string& one, const std::string& many) {
  return count == 1 ? one : data::counted(static_cast<std::uint64_t>(count)) + " " + many;
}

int workers_max(const Config& config) {
  return std::max(1, config.workers.max);
}

LaneSums lane_sums(const Config& config) {
  if (config.training.deterministic) return most_lane_sums(config.training.lanes, workers_max(config));
  return {.of_worker = 1, .of_step = workers_max(config)};
}

double sum_if(const std::vector<MemoryEntry>& entries, When most) {
  double bytes = 0;
  for (const MemoryEntry& entry : entries) {
    if (entry.when <= most) bytes += entry.bytes;
  }
  return bytes;
}

// Adds the memory of inflaters, if any file is compressed. An inflater decompresses a file, and stays in memory until
// the next read of the file continues with it.
void add_inflaters(std::vector<MemoryEntry>& entries, bool any_compressed) {
  if (!any_compressed) return;
  entries.push_back(
      {"inflaters of compressed files", double{data::InflaterCache::usual_bytes_max}, MemoryOf::batch, When::at_times});
}

// The maximum number of bytes that one stream has received and its role has not used yet. They are in the inbox, or in
// the buffers of gRPC, which receives ahead (trainer/comm/transport).
constexpr double arriving_bytes_max = 8 << 20;

// Adds the memory of messages: one sent frame of `sent` bytes, and received frames of `bytes` bytes together.
// `arriving` says what the received frames contain.
void add_frames(std::vector<MemoryEntry>& entries, double sent, const std::string& arriving, double bytes) {
  // gRPC reports only after a while that a frame was sent, and the frame uses memory until then. The process may make
  // the next frame before that.
  entries.push_back({"a sent message that is not freed yet", sent, MemoryOf::model, When::at_times});
  entries.push_back({arriving + " on their way", bytes, MemoryOf::model, When::at_times});
}

// A tunnel encrypts one connection (trainer/comm/transport/tls_tunnels.h). The first number is the maximum that it
// buffers in both directions together. The second is about what OpenSSL and a thread need for it.
constexpr double tunnel_buffers_bytes_max = 2 * (128 << 10), tunnel_bytes = 2 * (16 << 10) + (64 << 10);

// Adds the memory of encryption for `streams` connections whose frames have `frame` bytes, and for a connection to the
// coordinator.
void add_encryption(std::vector<MemoryEntry>& entries, const Config& config, int streams, double frame) {
  if (!config.security.tls) return;
  // A direction never buffers more than the `frame` bytes that it carries.
  const double of_stream = tunnel_bytes + std::min(2 * frame, tunnel_buffers_bytes_max);
  entries.push_back(
      {"encryption of " + count_of(streams, "a connection", "connections"), streams * of_stream + tunnel_bytes});
}

}  // namespace

LaneSums most_lane_sums(int lanes, int workers_max) {
  LaneSums most;
  for (std::int64_t workers = 1; workers <= workers_max; ++workers) {
    int of_step = 0;
    for (std::int64_t i = 0; i < workers; ++i) {
      const Range run{lanes * i / workers, lanes * (i + 1) / workers};
      const int sums = static_cast<int>(aligned_subtrees(run).size());
      most.of_worker = std::max(most.of_worker, sums);
      of_step += sums;
    }
    most.of_step = std::max(most.of_step, of_step);
  }
  return most;
}

// If all roles share a process, the server has no sum of gradients of its own: it writes the new parameters into the
// worker's sum, which is counted for the worker.
std::vector<MemoryEntry> server_memory(const Config& config, std::int64_t elements, bool one_process) {
  const double copy = static_cast<double>(elements) * sizeof(float);
  const auto states = static_cast<double>(state_names(config.training.optimizer).size());
  const bool is_sync = config.training.consistency == Consistency::sync;
  std::vector<MemoryEntry> entries{{"parameters", copy}};
  if (is_sync) entries.push_back({"parameters before the last update", copy});
  if (states > 0) entries.push_back({"optimizer state", states * copy});
  // Without `deterministic`, the server adds all gradients of a step to one sum as they arrive.
  const bool adds_on_arrival = is_sync && !config.training.deterministic;
  const int sums = one_process ? 0 : adds_on_arrival ? 1 : lane_sums(config).of_step;
  // In Sync the server adds a sum to another sum, so it needs two at the same time. In Async each sum is an update of
  // its own.
  const int at_once = std::min(sums, is_sync ? 2 : 1);
  if (at_once > 0) entries.push_back({count_of(at_once, "sum of gradients", "sums of gradients"), at_once * copy});
  if (!one_process) add_frames(entries, copy, "gradients", workers_max(config) * std::min(copy, arriving_bytes_max));
  if (!one_process) add_encryption(entries, config, workers_max(config), copy);
  // The server allocates the memory of a save when it starts (see ShardStore::load()), so the entry counts as `always`.
  const double saved = (1 + states) * copy;
  entries.push_back({states > 0 ? "a save of parameters and optimizer state" : "a save of parameters", saved});
  if (sums > at_once) {
    const double more = sums - at_once;
    entries.push_back(
        {count_of(more, "another sum", "other sums") + " of gradients, if those of all workers come at once",
         more * copy, MemoryOf::model, When::at_times});
  }
  entries.push_back({"a second save, if the one before is not done", saved, MemoryOf::model, When::at_times});
  return entries;
}

std::vector<MemoryEntry> worker_memory_without_records(const Config& config, const ModelGraph& model,
                                                       bool one_process) {
  const double copy = static_cast<double>(layout_of(model).size()) * sizeof(float);
  std::vector<MemoryEntry> entries;
  if (!one_process) entries.push_back({"parameters", copy});
  // If all roles share a process, there is one worker. It computes all lanes (shares of a batch), with one sum of them.
  const double sums = one_process ? 1 : lane_sums(config).of_worker;
  entries.push_back({count_of(sums, "sum of gradients", "sums of gradients, one of each run of lanes"), sums * copy});
  if (config.worker_gpus > 1) {
    entries.push_back({"sums of gradients of the other GPUs", (config.worker_gpus - 1) * copy});
  }
  if (config.worker_gpus > 0) {
    // With lanes, the sums of parts are added along the tree of lanes. On each level of the tree one sum may have to
    // wait for the sum of its neighbour.
    const auto lanes = static_cast<unsigned>(config.training.deterministic ? config.training.lanes : 1);
    const int levels =
        std::max(1, static_cast<int>(std::bit_width(lanes / static_cast<unsigned>(config.worker_gpus))) - 1);
    entries.push_back({"sums of gradients of parts, if GPUs compute a batch in parts",
                       config.worker_gpus * levels * copy, MemoryOf::model, When::at_times});
  }
  if (!one_process) {
    const int servers = std::max(1, config.ps.max);
    add_frames(entries, copy, "parameters", std::min(copy, servers * arriving_bytes_max));
    add_encryption(entries, config, servers, copy / servers);
  }

  const double cached = bytes_of_caches(config.data);
  if (cached > 0) entries.push_back({"caches", cached, MemoryOf::caches});
  return entries;
}

std::vector<MemoryEntry> worker_memory(const Config& config, const ModelGraph& model, const ProcessSize& process) {
  std::vector<MemoryEntry> entries = worker_memory_without_records(config, model, process.one_process);
  const std::int64_t rows = std::min(config.training.batch, process.records);
  const double batch = bytes_of_row(model) * static_cast<double>(rows);
  entries.push_back({"records of a batch", batch, MemoryOf::batch});
  if (const std::size_t ahead = batches_ahead_max(batch, process.cpus, process.memory); ahead > 0) {
    entries.push_back({count_of(static_cast<double>(ahead), "a batch", "batches") + " that are read ahead",
                       static_cast<double>(ahead) * batch, MemoryOf::batch, When::at_times});
  }
  add_inflaters(entries, std::ranges::any_of(read_sets(config.data), &ReadSet::is_compressed));
  if (config.worker_gpus > 0) return entries;  // Results and kernels are in the memory of the GPU.
  const ComputeMemory compute = compute_memory(model, rows, config.training.deterministic ? config.training.lanes : 0);
  if (model.loss) entries.push_back({"results of the layers", compute.arena, MemoryOf::results});
  const double kept = compute.retained + compute.of_thread * process.cpus;
  if (kept > 0) entries.push_back({"working memory of kernels", kept, MemoryOf::results});
  return entries;
}

std::vector<MemoryEntry> evaluation_memory(const Config& config) {
  if (!config.data.evaluation) return {};
  const InferenceGraph graph = inference_graph(config.model, config.data, Losses::computed);
  const double parameters = static_cast<double>(layout_of(model_graph(config.model, config.data)).size());
  const auto results = static_cast<double>(inference_memory(graph, inference_rows_max));
  std::vector<MemoryEntry> entries{{"parameters of a checkpoint, while it is evaluated", parameters * sizeof(float),
                                    MemoryOf::model, When::at_times}};
  add_inflaters(entries, std::ranges::any_of(config.data.evaluation->files, is_named_compressed));
  entries.push_back({"results of its layers, of " + std::to_string(inference_rows_max) + " records", results,
                     MemoryOf::results, When::at_times});
  return entries;
}

std::vector<MemoryEntry> all_roles_memory(const Config& config, std::int64_t elements,
                                          const std::vector<MemoryEntry>& worker) {
  std::vector<MemoryEntry> entries = server_memory(config, elements, true);
  entries.insert(entries.end(), worker.begin(), worker.end());
  const std::vector<MemoryEntry> evaluation = evaluation_memory(config);
  entries.insert(entries.end(), evaluation.begin(), evaluation.end());
  return entries;
}

double bytes_needed(const std::vector<MemoryEntry>& entries) {
  return sum_if(entries, When::always);
}

double bytes_at_most(const std::vector<MemoryEntry>& entries) {
  return sum_if(entries, When::at_times);
}

double bytes_of_row(const std::vector<Feature>& features) {
  double bytes = 0;
  for (const Feature& feature : features) bytes += static_cast<double>(feature.size) * size_of(feature.type);
  return bytes;
}

double bytes_of_row(const ModelGraph& model) {
  return bytes_of_row(model.features);
}

std::size_t batches_ahead_max(double batch_bytes, unsigned cpus, std::uint64_t memory) {
  return static_cast<std::size_t>(std::min<double>(cpus + 1.0, static_cast<double>(memory / 8) / batch_bytes));
}

}  // namespace carrack::train
