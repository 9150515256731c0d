// Makes the text that identifies the data of a job and the order in which it is used: with the same seed and batch
// size, jobs with equal texts use the same records in the same steps. Such a text is "carrack-order v2 files=2
// records=20000 bytes=760000 crc32c=0badf00d stage=shuffle kind=full". A checkpoint stores the text, and a job may
// continue from it only with the same text. So the format must never change. docs/formats/checkpoint.md specifies it.
// Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/indexes/indexed_file.h"
#include "dataloader/pipeline/lanes/first_pass.h"
#include "trainer/comm/protocol/order.h"
#include "trainer/launch/stages.h"

namespace carrack::train {

// What the order of records depends on in addition to the stages.
struct OrderContext {
  bool by_blocks = false;   // the data is remote or compressed, so a shuffle of kind by_place is a block shuffle
  std::uint64_t lanes = 1;  // number of lanes that divide the window of a block shuffle; 1 in Async
};

// One set of files and its stages.
struct OrderedSet {
  data::RecordTotals records;  // numbers of files, records and bytes, and a checksum
  std::vector<Stage> stages;
  bool by_blocks = false;  // OrderContext::by_blocks for this set
  double weight = 1;       // used only in a mix
};

// The results have the text, and the text of older releases for the same order (Order in comm/protocol/order.h).
//
// Returns the order of a job without a mix. `own_runs` is true if each lane (share of a batch) reads runs (neighbouring
// records) of its own, so the number of lanes is a part of the order.
Order order_of_set(const OrderedSet& set, const OrderContext& context, bool own_runs);
// Returns the order of a job with a mix. `sets` are the sets of the mix with their own stages, and `stages` are the
// stages after the mix. `context.by_blocks` is that of the mixed records.
Order order_of_mix(const std::vector<OrderedSet>& sets, const std::vector<Stage>& stages, const OrderContext& context,
                   bool own_runs);
// Returns the order of a job that begins with a first pass (an epoch before the files have an index). Its text has the
// files and lanes, but no number of records, which is not known yet.
Order order_of_first_pass(const data::FirstPass& pass);

}  // namespace carrack::train
