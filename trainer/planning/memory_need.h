// The memory that each role of a job needs, by the manifest alone. Both `carrack plan` and the check at the start of a
// process use it. Pure. Bytes are doubles, because a job that cannot run may need more than fits into 64 bits.
//
// Not counted are: about 30 MB that a process has before it trains; indexes; the buffers of remote storage and of
// shuffles, which are as large as the memory allows; the inflaters of compressed files whose names do not end in .gz or
// .zlib; and memory that processes of one machine share (trainer/comm/transport/shared_memory.h).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/model.h"

namespace carrack::train {

enum class When {
  always,    // from the first updates on
  at_times,  // only if many peers send at once, or if there is memory for it
};

// The part of the manifest that determines the size of an entry.
enum class MemoryOf { model, caches, batch, results };

struct MemoryEntry {
  std::string name;  // for people: "optimizer state"
  double bytes = 0;
  MemoryOf of = MemoryOf::model;
  When when = When::always;
};

// The properties of a process that the manifest does not say.
struct ProcessSize {
  bool one_process = false;  // coordinator, parameter server and worker share the process, as with Single
  std::int64_t records = std::numeric_limits<std::int64_t>::max();  // the process gets no batch with more records
  unsigned cpus = 1;
  std::uint64_t memory = ~std::uint64_t{0};  // bytes that the process may use; by default unlimited
};

// The memory of a parameter server whose range has this many elements of the flat buffer.
std::vector<MemoryEntry> server_memory(const Config& config, std::int64_t elements, bool one_process);
// The memory of a worker, in the order of MemoryOf. The program of an own model is not counted, nor is the memory of a
// GPU. worker_memory_without_records() returns only the entries of the model and of caches.
std::vector<MemoryEntry> worker_memory_without_records(const Config& config, const ModelGraph& model, bool one_process);
std::vector<MemoryEntry> worker_memory(const Config& config, const ModelGraph& model, const ProcessSize& process);

// The memory of a coordinator while it evaluates a checkpoint. Empty if the job has no spec.data.eval.
std::vector<MemoryEntry> evaluation_memory(const Config& config);

// The memory of a process with all roles; `worker` are the entries of its worker.
std::vector<MemoryEntry> all_roles_memory(const Config& config, std::int64_t elements,
                                          const std::vector<MemoryEntry>& worker);

// The sum of the entries that are `always`.
double bytes_needed(const std::vector<MemoryEntry>& entries);
// The sum of all entries.
double bytes_at_most(const std::vector<MemoryEntry>& entries);

// The bytes of one record's features in the form in which the model reads them.
double bytes_of_row(const ModelGraph& model);
// The most batches that a worker reads ahead: enough for all CPUs to read, but at most an eighth of `memory`; may be 0.
std::size_t batches_ahead_max(double batch_bytes, unsigned cpus, std::uint64_t memory);

// The sums of gradients that are sent for a step with `deterministic`.
struct LaneSums {
  int of_worker = 1;  // by one worker
  int of_step = 1;    // by all workers together
};
// Returns the largest value of each member for any number of workers up to `workers_max`.
LaneSums most_lane_sums(int lanes, int workers_max);

}  // namespace carrack::train
