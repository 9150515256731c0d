// Computes the memory that each role of a job (coordinator, parameter server, worker) needs, from its manifest and the
// CPUs and memory of a process. `carrack plan` and the check at the start of a process (loop/setup/memory.h) use it,
// and parts of it decide how much a worker reads ahead. Pure. Bytes are doubles, because a job that cannot run may need
// more than fits into 64 bits.
//
// The results do not include: about 30 MB that a process has before it trains; indexes; the buffers of remote storage
// and of shuffles, which are as large as the memory allows; the records of an evaluation, which take up to an eighth of
// the memory (evaluation/inference.h); the inflaters of compressed files whose names do not end in .gz or .zlib; and
// memory that processes of one machine share (trainer/comm/transport/shared_memory.h).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/model.h"

namespace carrack::train {

enum class When {
  always,    // needed from the first updates on
  at_times,  // needed only at times, such as when many peers send together, or used only if there is memory for it
};

// The part of the manifest that determines the size of an entry.
enum class MemoryOf { model, caches, batch, results };

// One use of memory, a line of `carrack plan`.
struct MemoryEntry {
  std::string name;  // a description for the user: "optimizer state"
  double bytes = 0;
  MemoryOf of = MemoryOf::model;
  When when = When::always;
};

// The properties of a process that do not follow from the manifest.
struct ProcessSize {
  bool one_process = false;  // coordinator, parameter server and worker share the process, as with strategy Single
  // The process computes at most this many records of a batch.
  std::int64_t records = std::numeric_limits<std::int64_t>::max();
  unsigned cpus = 1;
  std::uint64_t memory = ~std::uint64_t{0};  // bytes that the process may use; by default unlimited
};

// Returns the memory of a parameter server that owns `elements` elements of the parameters. If it shares its process
// with the worker (`one_process`), leaves out what is then unnecessary: sums of gradients, frames and encryption.
std::vector<MemoryEntry> server_memory(const Config& config, std::int64_t elements, bool one_process);
// Return the memory of a worker, sorted by MemoryOf. They count neither the user's program of a model of kind Own nor
// the memory of GPUs (gpu_memory.h). worker_memory_without_records() returns only the entries of MemoryOf::model and
// MemoryOf::caches, which do not depend on the size of a batch.
std::vector<MemoryEntry> worker_memory_without_records(const Config& config, const ModelGraph& model, bool one_process);
std::vector<MemoryEntry> worker_memory(const Config& config, const ModelGraph& model, const ProcessSize& process);

// Returns the memory of a coordinator while it evaluates a checkpoint; empty if the job has no spec.data.eval.
std::vector<MemoryEntry> evaluation_memory(const Config& config);

// Returns the memory of a process with all roles (strategy Single): the entries of its server, then `worker`, then
// those of evaluation. `worker` is the result of one of the functions above with one_process true. `elements` is the
// number of elements of all parameters.
std::vector<MemoryEntry> all_roles_memory(const Config& config, std::int64_t elements,
                                          const std::vector<MemoryEntry>& worker);

// Returns the sum of the entries with When::always, without which the process cannot run.
double bytes_needed(const std::vector<MemoryEntry>& entries);
// Returns the sum of all entries, also those with When::at_times.
double bytes_at_most(const std::vector<MemoryEntry>& entries);

// Return the size in bytes of one record's features in the form in which the model reads them.
double bytes_of_row(const std::vector<Feature>& features);
double bytes_of_row(const ModelGraph& model);
// Returns the maximum number of batches that a worker reads ahead: one more than it has CPUs, but together at most an
// eighth of `memory` bytes, so it may be 0. `batch_bytes` is the size of a batch.
std::size_t batches_ahead_max(double batch_bytes, unsigned cpus, std::uint64_t memory);

// The numbers of sums of gradients that are sent for a step with `deterministic`. A worker sends one for each subtree
// of its lanes (aligned_subtrees() in kernels/lanes.h).
struct LaneSums {
  int of_worker = 1;  // sums that one worker sends
  int of_step = 1;    // sums that all workers together send
};
// Returns the largest numbers that any number of workers from 1 to `workers_max` leads to; the two members may come
// from different numbers of workers. `lanes` is training.lanes.
LaneSums most_lane_sums(int lanes, int workers_max);

}  // namespace carrack::train
