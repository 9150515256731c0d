// Computes what `carrack plan` prints: what a job will need, such as memory of each process and size of checkpoints,
// from its manifest alone, before it runs. Storage is not read, so the number of records is unknown. Sizes are in
// bytes. Pure. job_plan_text.h turns the plan into text.
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

// A layer of the model.
struct LayerPlan {
  std::string name;
  std::string output;           // the shape of the output: "[rows, 64, 16]"; empty for a model of kind Own
  std::int64_t tensors = 0;     // number of its tensors
  std::int64_t parameters = 0;  // number of their elements
};

// The numbers of tensors, and of their elements, that belong to one of training.groups.
struct GroupPlan {
  std::int64_t tensors = 0;
  std::int64_t parameters = 0;
};

struct MemoryOfProcess {
  int processes = 1;                 // the number of processes of this role
  std::vector<MemoryEntry> entries;  // the memory of the process of this role that needs the most
};

// The memory of the processes that hold tensors, and of GPUs. With Strategy::single, `single` is set, and
// `coordinator`, `server` and `worker` are nullopt. Otherwise `single` is nullopt, and `server` and `worker` are set.
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
  // True: workers get whole lanes (training.lanes fixed shares of the batch). False: the batch can be divided into any
  // parts, so all workers get nearly the same number of records.
  bool by_lanes = false;
  Shares shares;  // the smallest and the largest number of records of a worker
  // A larger training.lanes with which workers would wait for each other for at most waiting_max of the time. nullopt
  // if they already do with training.lanes, if `by_lanes` is false, and if no such number exists.
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
