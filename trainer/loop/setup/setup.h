// What every process of a job computes from its launch, with the same result: the model, the layout of its tensors, the
// range of each server, the optimizer. Pure, except for functions of a FoundData with a first pass: they look for
// indexes in storage, may throw data::Error, and must be called by one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/pipeline/lanes/first_pass.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "trainer/checkpoint/digest.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/kernels/layout.h"
#include "trainer/launch/config.h"
#include "trainer/launch/launch.h"
#include "trainer/launch/member.h"
#include "trainer/loop/setup/order_text.h"
#include "trainer/models/model.h"

namespace carrack::train {

struct Setup {
  ModelGraph model;
  Layout layout;
  std::vector<Range> ranges;  // range of each server in the flat buffer, by its index
  Optimizer optimizer;
  data::RowsFunction columns;  // turns records into columns of the model's features, in their order
};

// Throws Error with Blame::user if the model is not valid, and with Blame::bug if the tensors cannot be placed.
Setup setup_from(const Config& config);

// The position of a step in the data.
struct DataPosition {
  std::uint64_t epoch = 0;
  std::uint64_t record = 0;  // number of records of the epoch that earlier steps have used
  bool operator==(const DataPosition&) const = default;
};

// The data as this process found it when it started.
struct FoundData {
  std::uint64_t batches_per_epoch = 1;  // at least 1; not used if there is a first pass
  Order order;
  // Not null if the first epoch is a first pass, which learns the number of batches of an epoch only later.
  std::shared_ptr<data::FirstPass> first_pass;
  // True: each of the job's lanes has its own records, so a batch cannot be cut into another number of lanes.
  bool lanes_are_fixed = false;
};

// Returns the number of batches of all epochs; nullopt while a first pass does not know it. Throws Error with
// Blame::user if the number exceeds the largest int64.
std::optional<std::uint64_t> total_batches(const FoundData& data, const Training& training);
// For a job whose first pass had this size: these return the number of batches of all epochs, and of each epoch after
// the first one. The first pass must have had a record.
std::uint64_t total_batches(const data::FirstPass::Totals& first_pass, const Training& training);
std::uint64_t batches_per_epoch(const data::FirstPass::Totals& first_pass, const Training& training);

// Returns the position in the data at which a step begins. `step` counts from 0 over all epochs.
DataPosition position_of(std::uint64_t step, const FoundData& data, const Training& training);

// Returns the part of this process's Hello that is the same on all streams that it opens. `address` is where it
// listens; empty if it does not.
wire::Hello hello_from(const Launch& launch, const std::string& address);

// Returns the batch size and the lanes of the job. `own_runs` is false in the result; it depends on the data.
data::Batching batching_of(const Training& training);

}  // namespace carrack::train
