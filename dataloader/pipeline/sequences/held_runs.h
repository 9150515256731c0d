// Rows in a BlockOrder. A run of neighbours is read at once, when the first of its rows is wanted, and each of its rows
// is held until it is given: who goes through the places reads all once, in long pieces. Of what is read and not
// wanted, as others give it, about as much is held as the order holds. Many threads at once, each of which reads what
// no other one reads already, and waits for what another one does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dataloader/order/block_order.h"
#include "dataloader/pipeline/sequences/held_memory.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

struct Holding {
  std::uint64_t lanes = 1;                       // parts that are gone through side by side
  std::shared_ptr<HeldMemory> memory = nullptr;  // else without bounds
  std::string place = "";                        // what is told while it is read begins with it
};

// As many rows as the order has. Reading throws a Refused where the rows that it has to hold do not fit.
SequencePtr in_blocks(SequencePtr rows, const BlockOrder& order, Holding holding = {});

}  // namespace carrack::data
