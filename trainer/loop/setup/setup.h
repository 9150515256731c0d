// What every member of a job derives alike from what it was told: the model, where its tensors lie, who serves which
// range, how an update is made. A pure function of the launch.
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
#include "trainer/models/model.h"

namespace carrack::train {

struct Setup {
  ModelGraph model;
  Layout layout;
  std::vector<Range> ranges;  // By server.
  Optimizer optimizer;
  data::RowsFunction columns;  // Makes those of the model's features, in their order, of records.
  bool mean = true;
};

Setup setup_from(const Config& config);

// Where in the data a step lies: the first batches of an epoch, and the records that they hold.
struct DataPosition {
  std::uint64_t epoch = 0;
  std::uint64_t record = 0;
  bool operator==(const DataPosition&) const = default;
};

// What a start found of the data.
struct FoundData {
  std::uint64_t batches_per_epoch = 1;
  std::string contents;  // the records, and in which order they are used
  // Where the first epoch is one; it knows the batches of an epoch later.
  data::FirstPass* first_pass = nullptr;
};

// Of all epochs; nothing while nobody knows. Throws, for the user, for more than can be counted.
std::optional<std::uint64_t> total_batches(const FoundData& data, const Training& training);

DataPosition position_of(std::uint64_t step, const FoundData& data, const Training& training);

wire::Role role_of(Role role);

// The first words of every stream that this process opens.
wire::Hello hello_of(const Launch& launch, const std::string& address);

data::Batching batching_of(const Training& training);

}  // namespace carrack::train
