// Makes the text that identifies the data of a job and the order in which it is trained on: with the same seed and
// batch size, jobs with equal texts use the same records in the same steps. Checkpoints store these texts, so their
// format must never change. docs/formats/checkpoint.md specifies them. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/indexes/indexed_file.h"
#include "dataloader/pipeline/lanes/first_pass.h"
#include "trainer/comm/protocol/order.h"
#include "trainer/launch/stages.h"

namespace carrack::train {

// What determines the order of records in addition to the stages.
struct OrderContext {
  bool by_blocks = false;   // the data is remote or compressed, so a shuffle of kind by_place is one in blocks
  std::uint64_t lanes = 1;  // number of lanes that read an epoch in parallel; they divide the window of a block shuffle
};

// One set of files and its stages. `weight` is used only in a mix.
struct OrderedSet {
  data::RecordTotals records;
  std::vector<Stage> stages;
  bool by_blocks = false;  // OrderContext::by_blocks for this set
  double weight = 1;
};

// Returns the order of a job without a mix. `own_runs`: each lane reads runs of its own.
Order order_of_set(const OrderedSet& set, const OrderContext& context, bool own_runs);
// Returns the order of a mix. `stages` are the stages after the mix. `context.by_blocks` is that of the mixed records.
Order order_of_mix(const std::vector<OrderedSet>& sets, const std::vector<Stage>& stages, const OrderContext& context,
                   bool own_runs);
// Returns the order of a job that begins with a first pass.
Order order_of_first_pass(const data::FirstPass& pass);

}  // namespace carrack::train
