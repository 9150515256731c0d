// What each role of a job holds in memory, by the manifest alone. The check at a process's start and `carrack plan`
// share it. Pure; numbers are doubles, because those of jobs that cannot run do not fit into 64 bits.
//
// Not counted are what a process has before it trains, about 30 MB, indexes, the buffers of remote storage and of
// shuffles, which are as large as the memory allows, the inflaters of compressed files whose names do not say so, and
// what processes of one machine share (trainer/comm/transport/shared_memory.h).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/model.h"

namespace carrack::train {

enum class When {
  always,    // of every job, from its first updates on
  at_times,  // at most, if many peers send at once, or as far as there is memory
};

// What of the manifest makes an entry large.
enum class MemoryOf { model, caches, batch, results };

struct MemoryEntry {
  std::string name;
  double bytes = 0;
  MemoryOf of = MemoryOf::model;
  When when = When::always;
};

// A process as the manifest does not say it.
struct ProcessSize {
  bool one_process = false;  // whether coordinator, parameter server and worker share it, as with Single
  std::int64_t records = std::numeric_limits<std::int64_t>::max();  // in the data, if known: no batch has more
  unsigned cpus = 1;
  std::uint64_t memory = ~std::uint64_t{0};
};

// Of a parameter server with so many elements of the flat buffer.
std::vector<MemoryEntry> server_memory(const Config& config, std::int64_t elements, bool one_process);
// In the order of MemoryOf. What the program of an own model takes is not known, and not part of it. The first function
// returns only the entries of model and caches.
std::vector<MemoryEntry> worker_memory_without_records(const Config& config, const ModelGraph& model, bool one_process);
std::vector<MemoryEntry> worker_memory(const Config& config, const ModelGraph& model, const ProcessSize& process);

// Of a coordinator that evaluates checkpoints, while it does; nothing if the job has no spec.data.eval.
std::vector<MemoryEntry> evaluation_memory(const Config& config);

// Of a process with all roles, in which the worker has these entries.
std::vector<MemoryEntry> all_roles_memory(const Config& config, std::int64_t elements,
                                          const std::vector<MemoryEntry>& worker);

// The sum of the entries that are `always`.
double bytes_needed(const std::vector<MemoryEntry>& entries);
// The sum of all entries.
double bytes_at_most(const std::vector<MemoryEntry>& entries);

// Bytes of one record's features in the form that the model takes.
double bytes_of_row(const ModelGraph& model);
// How many batches a worker reads ahead: enough for all CPUs to read, if they fit into an eighth of the memory.
std::size_t batches_ahead_max(double batch_bytes, unsigned cpus, std::uint64_t memory);

// With `deterministic`, for the number of workers, up to `workers_max`, with which it is most.
struct LaneSums {
  int of_worker = 1;  // sums that one worker sends for a step
  int of_step = 1;    // that all workers send together
};
LaneSums most_lane_sums(int lanes, int workers_max);

}  // namespace carrack::train
