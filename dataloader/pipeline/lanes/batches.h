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
  Rows rows;                 // with OnDamage::skip those that can be used; rows.lost has the others
  std::vector<Range> lanes;  // the range of rows of each requested lane, or of all of them; a range may be empty
  std::vector<Range> lost;   // likewise, the range in rows.lost
  // How many rows the lanes before these have in the whole batch; in a first pass, as many as if no lane had ended.
  std::uint64_t first_row = 0;
};

// The batch of these rows. `lanes` are the ranges of the requested rows, of which some may be lost.
Batch batch_of(Rows rows, const std::vector<Range>& lanes, std::uint64_t first_row);

class Batches {
 public:
  // `data_fingerprint` is different for different rows. Throws an Error if there are no rows.
  Batches(Sequence rows, std::string data_fingerprint, Batching batching, OnDamage on_damage = OnDamage::stop);

  const Order& order() const { return order_; }
  const std::string& data_fingerprint() const { return data_fingerprint_; }
  // The rows of some lanes of a batch; or, with OnDamage::stop, if any of them cannot be used, the first of those by
  // file and record. The batch is cut into `lanes_in_batch` lanes; if that is 0, or lanes have runs of their own, into
  // Batching::lanes.
  std::variant<Batch, Corrupt> read(Position position, Range lanes, std::uint64_t lanes_in_batch = 0) const;

 private:
  std::vector<Range> places_of(std::uint64_t step, Range lanes, std::uint64_t lanes_in_batch) const;
  std::uint64_t first_row(std::uint64_t step, Range lanes, std::uint64_t lanes_in_batch) const;

  Sequence rows_;
  std::string data_fingerprint_;
  Order order_;
  OnDamage on_damage_;
};

}  // namespace carrack::data
