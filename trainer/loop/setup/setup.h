// What every process of a job computes from its manifest, with the same result: the model, the layout of its tensors,
// the range of parameters of each server, and the position of each step in the data. Pure, except for functions of a
// FoundData with a first pass: they look for indexes in storage, may throw data::Error, and must be called by one
// thread at a time.
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
  Layout layout;               // where each tensor is in the flat buffer of all parameters
  std::vector<Range> ranges;   // range of each server in the flat buffer, by its index
  Optimizer optimizer;         // kind and settings
  data::RowsFunction columns;  // turns records into columns of the model's features, in their order
};

// Reads no storage. Throws Error with Blame::user if the model is not valid, and with Blame::bug if the tensors cannot
// be divided among the servers.
Setup setup_from(const Config& config);

// The position in the data at which a step begins; checkpoints store it.
struct DataPosition {
  std::uint64_t epoch = 0;   // from 0
  std::uint64_t record = 0;  // number of records of the epoch that earlier steps have used
  bool operator==(const DataPosition&) const = default;
};

// The data as this process found it when it started: its size and order, without the records.
struct FoundData {
  std::uint64_t batches_per_epoch = 1;  // at least 1; not used if there is a first pass
  Order order;                          // identifies the data and its order (order_text.h)
  // Not null if the job began with a first pass: a first epoch over files without an index, whose number of batches is
  // known only once all files were read.
  std::shared_ptr<data::FirstPass> first_pass;
  // True: each lane (a share of every batch) has records of its own, so a batch always has training.lanes lanes. False:
  // a batch can be divided into any number of lanes.
  bool lanes_are_fixed = false;
};

// Returns the number of batches of the job, of all epochs together; nullopt while it is not known because of a first
// pass. Throws Error with Blame::user if the number exceeds the largest int64.
std::optional<std::uint64_t> total_batches(const FoundData& data, const Training& training);
// For a job whose first pass is over and had this size: total_batches() returns the number of batches of all epochs,
// and throws as above. batches_per_epoch() returns that of each epoch after the first one, which may differ from that
// of the first pass. The first pass must have had at least one record.
std::uint64_t total_batches(const data::FirstPass::Totals& first_pass, const Training& training);
std::uint64_t batches_per_epoch(const data::FirstPass::Totals& first_pass, const Training& training);

// Returns the position in the data at which step number `step` begins, counted from 0 over all epochs. In a first pass
// all earlier steps must be done.
DataPosition position_of(std::uint64_t step, const FoundData& data, const Training& training);

// Returns the Hello (the first message of a stream, which identifies this process) with the fields that are the same on
// all streams that it opens. `address` is where it listens; empty if it does not.
wire::Hello hello_from(const Launch& launch, const std::string& address);

// Returns the batch size and the number of lanes of the job for the dataloader. `own_runs` is always false in the
// result; the caller sets it, because it depends on the data.
data::Batching batching_of(const Training& training);

}  // namespace carrack::train
