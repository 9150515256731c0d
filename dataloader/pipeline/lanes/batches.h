// The batches of a training on indexed data: the rows of any lanes of any batch, in any order of calls. Thread-safe, so
// that the next batch can be read while one is in use.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "dataloader/order/order.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

struct Batch {
  Rows rows;  // with OnDamage::skip the usable rows; rows.lost has the other rows
  // For each requested lane its range in `rows`, which may be empty. If `lanes_in_batch` of Batches::read() was used,
  // one range for all these lanes together.
  std::vector<Range> lanes;
  std::vector<Range> lost;  // for each element of `lanes` its range in rows.lost
  // The number of rows of the whole batch before these lanes, with lost rows. In a first pass it is counted as if no
  // lane had ended.
  std::uint64_t first_row = 0;
};

// Makes a batch of these rows. `lanes` are ranges of the requested rows, in which lost rows count.
Batch batch_of(Rows rows, const std::vector<Range>& lanes, std::uint64_t first_row);

class Batches {
 public:
  // `data_fingerprint` must be different for different rows. Throws an Error if there are no rows, and for a batch or
  // number of lanes of 0.
  Batches(Sequence rows, std::string data_fingerprint, Batching batching, OnDamage on_damage = OnDamage::stop);

  const Order& order() const { return order_; }
  const std::string& data_fingerprint() const { return data_fingerprint_; }
  // Returns the rows of some lanes of a batch. position.step must be less than order().steps_in_epoch(). With
  // OnDamage::stop, if any of the rows cannot be used, returns instead the damage that comes first by file and record.
  // The batch is divided into `lanes_in_batch` lanes, at most 2^32. If that is 0, or if lanes have runs of their own
  // (Batching::own_runs), it is divided into Batching::lanes. Throws an Error if storage fails.
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
