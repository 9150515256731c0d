// What a job will take, computed from its manifest alone. Storage is not read, so the number of records is unknown.
// Pure.
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
  std::string output;  // its shape: "[rows, 64, 16]"
  std::int64_t tensors = 0;
  std::int64_t parameters = 0;
};

// The tensors of one of training.groups.
struct GroupPlan {
  std::int64_t tensors = 0;
  std::int64_t parameters = 0;
};

struct MemoryOfProcess {
  int processes = 1;
  std::vector<MemoryEntry> entries;  // of the process that has most
};

// Of the processes that hold tensors.
struct JobMemory {
  std::optional<MemoryOfProcess> single = {};       // the only one there is
  std::optional<MemoryOfProcess> coordinator = {};  // if it evaluates checkpoints
  std::optional<MemoryOfProcess> server = {};
  std::optional<MemoryOfProcess> worker = {};  // while there are all workers
  double only_worker = 0;                      // bytes that a worker takes, with those of a save, while it is alone
};

// How a batch of a Sync job is divided, with all workers.
struct Division {
  bool by_lanes = false;
  Shares shares;
  // With so many lanes the workers would wait less; set if lanes make them wait for more than `waiting_max`.
  std::optional<int> better_lanes;
};

struct CheckpointPlan {
  double bytes = 0;  // of parameters and optimizer state
  int files = 0;     // beside HEAD
  // To write one in gs://, and to remove one, if none is repeated. 0 in a local folder.
  std::uint64_t requests_to_write = 0, requests_to_remove = 0;
};

struct JobPlan {
  std::vector<LayerPlan> layers;
  std::vector<GroupPlan> groups;  // in the order of training.groups
  JobMemory memory = {};
  // Set if more than one worker computes a batch.
  std::optional<Division> division = {};
  // Of the first epoch, if the job may start before its files have an index and the epoch is then divided in another
  // way.
  std::optional<Division> division_without_index = {};
  CheckpointPlan checkpoint = {};
  std::vector<ReadSet> reads = {};
};

// The configuration must be valid. Kernels of each process run on so many CPUs.
JobPlan job_plan(const Config& config, unsigned cpus);

}  // namespace carrack::train
