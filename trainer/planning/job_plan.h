// The plan of a job for `carrack plan`: its parameters, memory, division of work, checkpoints and reads, computed from
// its manifest alone. Storage is not read, so the number of records is unknown. Sizes are in bytes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainer/launch/config.h"
#include "trainer/planning/memory_need.h"
#include "trainer/planning/reading.h"
#include "trainer/planning/shares.h"

namespace carrack::train {

struct LayerPlan {
  std::string name;
  std::string output;  // the shape of the output: "[rows, 64, 16]"; empty for a model of kind Own
  std::int64_t tensors = 0;
  std::int64_t parameters = 0;
};

// The numbers of tensors and parameters that belong to one of training.groups.
struct GroupPlan {
  std::int64_t tensors = 0;
  std::int64_t parameters = 0;
};

struct MemoryOfProcess {
  int processes = 1;                 // the number of processes of this role
  std::vector<MemoryEntry> entries;  // the memory of that process of the role that takes the most
};

// The memory of the processes that hold tensors. With Strategy::single only `single` is set. Otherwise `single` is
// nullopt, and `server` and `worker` are set.
struct JobMemory {
  std::optional<MemoryOfProcess> single = {};       // the only process
  std::optional<MemoryOfProcess> coordinator = {};  // nullopt if it does not evaluate checkpoints
  std::optional<MemoryOfProcess> server = {};
  std::optional<MemoryOfProcess> worker = {};  // the memory while all workers take part
  std::optional<MemoryOfProcess> gpu = {};     // each GPU of all workers; nullopt without GPUs
  double gpu_min = 0;      // bytes that a GPU needs at least, if it computes its records in parts; 0 without GPUs
  double only_worker = 0;  // bytes_needed() of a worker while it is the only one; 0 with `single`
};

// The division of a batch of a Sync job among all workers.
struct Division {
  bool by_lanes = false;  // true if the batch is dealt in training.lanes lanes, each with records of its own
  Shares shares;
  // A larger number of lanes with which the workers would wait for at most waiting_max. nullopt if they already do with
  // training.lanes, if `by_lanes` is false, and if no such number exists.
  std::optional<int> better_lanes;
};

struct CheckpointPlan {
  double bytes = 0;  // the size of parameters and optimizer state
  int files = 0;     // the number of files, without HEAD
  // The requests to write a checkpoint to remote storage, with HEAD, and to remove one, if no request is repeated. 0
  // for a local folder.
  std::uint64_t requests_to_write = 0, requests_to_remove = 0;
};

struct JobPlan {
  std::vector<LayerPlan> layers;
  std::vector<GroupPlan> groups;  // in the order of training.groups
  JobMemory memory = {};
  // nullopt if one worker computes a complete batch: if there is only one worker, and in Async.
  std::optional<Division> division = {};
  // The division in the first epoch if the job starts before its files have an index. nullopt if the job cannot, or if
  // it divides batches in the same way anyway.
  std::optional<Division> division_without_index = {};
  CheckpointPlan checkpoint = {};
  std::vector<ReadSet> reads = {};
};

// Returns the plan. `config` must be valid. `cpus` is the number of CPUs of each process.
JobPlan job_plan(const Config& config, unsigned cpus);

}  // namespace carrack::train
