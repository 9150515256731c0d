// Rows in a BlockOrder. A run of neighbours is read at once, when the first of its rows is wanted, and each of its rows
// is held until it is given: who goes through the places reads all once, in long pieces. Of what is read and not
// wanted, as others give it, about as much is held as the order holds. Many threads at once, each of which reads what
// no other one reads already.
#pragma once

#include "dataloader/order/block_order.h"
#include "dataloader/pipeline/sequence.h"

namespace carrack::data {

// As many rows as the order has, of which up to `lanes` parts are gone through side by side.
SequencePtr in_blocks(SequencePtr rows, const BlockOrder& order, std::uint64_t lanes = 1);

}  // namespace carrack::data
