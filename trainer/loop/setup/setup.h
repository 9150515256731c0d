// What every process of a job computes alike from its launch: the model, the layout of its tensors, the range of each
// server, the optimizer. Pure, except for functions of a FoundData that has a first pass: they look for indexes in
// storage, may throw data::Error, and are for one thread at a time.
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
  std::vector<Range> ranges;  // by server
  Optimizer optimizer;
  data::RowsFunction columns;  // turns records into the columns of the model's features, in their order
};

// Throws as model_graph(), and Error, with Blame::bug, if the tensors cannot be placed.
Setup setup_from(const Config& config);

// The position of a step in the data.
struct DataPosition {
  std::uint64_t epoch = 0;
  std::uint64_t record = 0;  // records of the epoch that the steps before have used
  bool operator==(const DataPosition&) const = default;
};

// The data as this process found it when it started.
struct FoundData {
  std::uint64_t batches_per_epoch = 1;
  Order order;
  // Not null if the first epoch is a first pass, which knows the batches of an epoch only later.
  std::shared_ptr<data::FirstPass> first_pass;
  bool lanes_are_fixed = false;  // each of the job's lanes has records of its own: a batch is not cut in other ways
};

// The batches of all epochs; nullopt while a first pass does not know them. Throws Error, with Blame::user, for more
// than can be counted.
std::optional<std::uint64_t> total_batches(const FoundData& data, const Training& training);
// The batches of all epochs, and of each that follows the first, of a job whose first pass was of this size.
std::uint64_t total_batches(const data::FirstPass::Totals& first_pass, const Training& training);
std::uint64_t batches_per_epoch(const data::FirstPass::Totals& first_pass, const Training& training);

DataPosition position_of(std::uint64_t step, const FoundData& data, const Training& training);

wire::Role role_of(Role role);

// The Hello of this process, for every stream that it opens.
wire::Hello hello_from(const Launch& launch, const std::string& address);

data::Batching batching_of(const Training& training);

}  // namespace carrack::train
