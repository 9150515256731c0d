#include "trainer/loop/roles/processors.h"

#include <algorithm>
#include <optional>
#include <string>

#include "dataloader/text.h"
#include "trainer/error.h"
#include "trainer/planning/gpu_memory.h"

namespace carrack::train {
namespace {

constexpr const char* gpu_field = "spec.replicas.worker.resources.limits.nvidia.com/gpu";

// Returns the GPUs of this worker. With `carrack run` all workers see all GPUs of the machine. So worker 0 has the
// first `gpus` of them, worker 1 the next ones, and so on; after the last GPU the first one follows again. In a pod,
// which sees only its own GPUs, a worker has all of them.
std::vector<Processor> gpus_of_worker(int gpus, int worker, int gpus_of_process) {
  std::vector<Processor> all;
  for (int i = 0; i < gpus; ++i) all.push_back({Device::cuda, (worker * gpus + i) % gpus_of_process});
  return all;
}

// Returns the memory of the smallest GPU, and the smallest free memory of any GPU. Subtracts a sixteenth of each,
// because allocations are rounded up, and because CUDA later loads kernels into the same memory.
DeviceMemory usable_memory(const std::vector<Processor>& gpus) {
  DeviceMemory least = memory_of(gpus.front());
  for (const Processor& gpu : gpus) {
    const DeviceMemory memory = memory_of(gpu);
    least.all_bytes = std::min(least.all_bytes, memory.all_bytes);
    least.free_bytes = std::min(least.free_bytes, memory.free_bytes);
  }
  return {least.all_bytes - least.all_bytes / 16, least.free_bytes - least.free_bytes / 16};
}

std::string bytes_text(double bytes) {
  return data::format_bytes(static_cast<std::uint64_t>(std::min(bytes, 0x1p63)));
}

std::string records_text(std::int64_t records) {
  return data::counted(static_cast<std::uint64_t>(records), "record");
}

// Throws because even `unit`, the smallest part of a batch that a GPU can compute at once, needs more than is free.
[[noreturn]] void refuse(const BatchUnits& unit, double needed, const DeviceMemory& usable) {
  const std::string need = " at once needs " + bytes_text(needed) + " of GPU memory";
  const bool is_one = unit.records() == 1;
  const std::string gradient = is_one           ? "spec.model: the gradient of "
                               : unit.are_lanes ? "spec.training.batch: the gradient of a lane of "
                                                : "spec.training.batch: the gradient of all ";
  const std::string what = gradient + records_text(unit.records()) + need;
  if (needed <= static_cast<double>(usable.all_bytes)) {
    throw Error(Blame::platform, what + ", and " + bytes_text(static_cast<double>(usable.free_bytes)) +
                                     " are free; nvidia-smi lists the processes that use the rest");
  }
  const std::string has = ", and the GPU has " + bytes_text(static_cast<double>(usable.all_bytes)) + "; ";
  if (is_one) throw Error(Blame::user, what + has + "use a GPU with more memory, or a smaller model");
  if (unit.are_lanes) throw Error(Blame::user, what + has + "set more training.lanes, or a smaller batch");
  throw Error(Blame::user,
              what + has +
                  "the model computes over all of them, so they cannot be divided; set a smaller batch, or "
                  "use more GPUs");
}

}  // namespace

WorkerProcessors choose_processors(const Launch& launch, const Setup& setup, const RoleContext& context,
                                   std::int64_t rows) {
  const Config& config = launch.config;
  if (config.worker_gpus == 0) return {{Processor()}, {rows, rows, rows}};
  std::vector<Processor> gpus =
      gpus_of_worker(config.worker_gpus, launch.member.index, require_gpus(config.worker_gpus, gpu_field));
  const DeviceMemory usable = usable_memory(gpus);
  const auto free = static_cast<double>(usable.free_bytes);
  const auto needed = [&](const BatchUnits& part) { return bytes_at_most(gpu_memory(setup.model, part)); };
  const BatchUnits planned = planned_gpu_share(config, setup.model, rows);
  const BatchUnits lone = lone_gpu_share(config, setup.model, rows);
  const std::optional<BatchUnits> part = fitting_part(setup.model, planned, free);
  if (!part) refuse(planned.with(1), needed(planned.with(1)), usable);
  if (part->units < planned.units) {
    context.log("computes batches in parts of at most " + records_text(part->records()) + ": " +
                records_text(planned.records()) + " at once need " + bytes_text(needed(planned)) +
                " of GPU memory, and " + bytes_text(free) + " are free");
  }
  // While other workers are away, this worker computes a larger share, up to the whole batch. If that share cannot be
  // divided and does not fit, the worker does not fail here, because the others may come back in time.
  const std::int64_t max = fitting_part(setup.model, lone, free).value_or(lone).records();
  return {std::move(gpus),
          {.min = lone.with(1).records(), .planned = part->records(), .max = std::max(max, part->records())}};
}

}  // namespace carrack::train
