// The batches of a training over data that is indexed: the rows of any lanes of any batch, in any order of calls. Safe
// from any thread, so that the next batch can be read while one is in use.
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
  std::vector<Range> lanes;  // the range of rows of each requested lane; a lane may be empty
};

class Batches {
 public:
  // `data_fingerprint` is different for different rows. Throws an Error if there are no rows.
  Batches(Sequence rows, std::string data_fingerprint, Batching batching);

  const Order& order() const { return order_; }
  const std::string& data_fingerprint() const { return data_fingerprint_; }
  // The rows of some lanes of a batch; or, if any of them cannot be used, the first of those by file and record.
  std::variant<Batch, Corrupt> read(Position position, Range lanes) const;

 private:
  Sequence rows_;
  std::string data_fingerprint_;
  Order order_;
};

}  // namespace carrack::data
