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
  std::vector<Range> lanes;  // the range of rows of each requested lane, or of all of them; a range may be empty
  // How many rows the lanes before these have in the whole batch; in a first pass, as many as if no lane had ended.
  std::uint64_t first_row = 0;
};

class Batches {
 public:
  // `data_fingerprint` is different for different rows. Throws an Error if there are no rows.
  Batches(Sequence rows, std::string data_fingerprint, Batching batching);

  const Order& order() const { return order_; }
  const std::string& data_fingerprint() const { return data_fingerprint_; }
  // The rows of some lanes of a batch; or, if any of them cannot be used, the first of those by file and record. The
  // batch is cut into `lanes_in_batch` lanes; if that is 0, or lanes have runs of their own, into Batching::lanes.
  std::variant<Batch, Corrupt> read(Position position, Range lanes, std::uint64_t lanes_in_batch = 0) const;

 private:
  std::vector<Range> places_of(std::uint64_t step, Range lanes, std::uint64_t lanes_in_batch) const;
  std::uint64_t first_row(std::uint64_t step, Range lanes, std::uint64_t lanes_in_batch) const;

  Sequence rows_;
  std::string data_fingerprint_;
  Order order_;
};

}  // namespace carrack::data
