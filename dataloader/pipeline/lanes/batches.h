// The rows of a training's batches: (position, lanes) -> Batch, at any position in any turn. Reading changes nothing
// here, so the next batch may be read while one is in use, and by another thread.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "dataloader/order/order.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

struct Batch {
  Rows rows;
  std::vector<Range> lanes;  // the rows of each lane asked for; a lane may be empty
};

class Batches {
 public:
  // `contents` tells the rows from all others. Throws an Error where there is none.
  Batches(SequencePtr rows, std::string contents, Batching batching);

  const Order& order() const { return order_; }
  const std::string& contents() const { return contents_; }
  // The rows of the lanes of one batch, or the first record of the files among them that cannot be used.
  std::variant<Batch, Corrupt> read(Position position, Range lanes) const;

 private:
  SequencePtr rows_;
  std::string contents_;
  Order order_;
};

}  // namespace carrack::data
