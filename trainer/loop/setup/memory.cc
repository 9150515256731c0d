#include "trainer/loop/setup/memory.h"

#include <algorithm>
#include <cstdio>

#include "trainer/error.h"

namespace carrack::train {
namespace {

using Entries = std::vector<MemoryEntry>;

// Returns the digits of a whole number, which may exceed 64 bits.
std::string integer_text(double number) {
  char text[400];
  std::snprintf(text, sizeof text, "%.0f", number);
  return text;
}

std::string field_of(MemoryOf what, const Config& config) {
  switch (what) {
    case MemoryOf::model:
      return "spec.model";
    case MemoryOf::caches:
      return config.data.mix.empty() ? "spec.data.train.stages" : "spec.data.train.mix";
    case MemoryOf::batch:
    case MemoryOf::results:
      return "spec.training.batch";
  }
  throw Error(Blame::bug, "memory of nothing");
}

// Returns what the user can do if entries of this kind take too much. `model` is the advice if the model does.
std::string advice_for(MemoryOf what, const std::string& model) {
  if (what == MemoryOf::model) return model;
  return what == MemoryOf::caches ? "give it more, or cache less" : "give it more, or use a smaller batch";
}

// Throws if the entries that are always needed exceed `bytes`, the memory of the process. The message names the process
// (`process`) and a field of the manifest: that of the first kind of entry with which the sum is too large.
void require(const Entries& entries, const std::string& process, const std::string& advice, const Config& config,
             std::uint64_t bytes) {
  double needed = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].when != When::at_times) needed += entries[i].bytes;
    const bool is_last_of_kind = i + 1 == entries.size() || entries[i + 1].of != entries[i].of;
    if (!is_last_of_kind || needed <= static_cast<double>(bytes)) continue;
    throw Error(Blame::user, field_of(entries[i].of, config) + ": " + process + " takes at least " +
                                 integer_text(needed) + " bytes of memory, and has " + std::to_string(bytes) + "; " +
                                 advice_for(entries[i].of, advice));
  }
}

void require_all_fit(const Entries& entries, const Config& config, std::uint64_t bytes) {
  require(entries, "the process of a Single job", "give it more, or use a smaller model", config, bytes);
}

}  // namespace

ProcessSize process_size(const RoleContext& context) {
  return {.one_process = context.one_process, .cpus = context.cpus, .memory = context.memory};
}

ProcessSize process_size(const RoleContext& context, std::uint64_t records) {
  ProcessSize process = process_size(context);
  process.records = static_cast<std::int64_t>(records);
  return process;
}

void require_server_fits(const Setup& setup, const Config& config, std::size_t server, const ProcessSize& process) {
  if (process.one_process) {
    Entries entries =
        all_roles_memory(config, setup.layout.size(), worker_memory_without_records(config, setup.model, true));
    std::erase_if(entries, [](const MemoryEntry& entry) { return entry.of != MemoryOf::model; });
    return require_all_fit(entries, config, process.memory);
  }
  require(server_memory(config, setup.ranges.at(server).size(), false), "a parameter server",
          "give it more, use more parameter servers in spec.replicas.ps, or a smaller model", config, process.memory);
}

std::uint64_t bytes_for_shuffles(const Setup& setup, const Config& config, const ProcessSize& process) {
  const auto bytes = static_cast<double>(process.memory);
  Entries entries = worker_memory_without_records(config, setup.model, process.one_process);
  if (process.one_process) entries = all_roles_memory(config, setup.layout.size(), entries);
  return static_cast<std::uint64_t>(std::clamp(bytes - bytes_needed(entries), 0.0, bytes / 2));
}

void require_worker_fits(const Setup& setup, const Config& config, const ProcessSize& process) {
  const Entries entries = worker_memory(config, setup.model, process);
  if (process.one_process)
    return require_all_fit(all_roles_memory(config, setup.layout.size(), entries), config, process.memory);
  require(entries, "a worker", "give it more, or use a smaller model", config, process.memory);
}

}  // namespace carrack::train
