// Batches: the batches of a training on indexed data. A worker of a job reads from it the rows of its lanes. (A lane is
// a share of every batch, which one worker computes.) Any lanes of any batch can be read, in any order of calls.
// Thread-safe, so the next batch can be read while one is in use. FirstPassBatches does the same for files without
// indexes.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "dataloader/order/order.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

// The requested lanes of one batch.
struct Batch {
  Rows rows;  // the usable rows of these lanes, lane after lane; rows.lost has the others (with OnDamage::skip)
  // For each requested lane its range in `rows`, which may be empty. If `lanes_in_batch` of Batches::read() was used,
  // one range for all these lanes together.
  std::vector<Range> lanes;
  std::vector<Range> lost;  // for each element of `lanes` its range in rows.lost
  // The number of rows, with lost rows, of the lanes of this batch before the first requested lane. In a first pass it
  // is counted as if no lane had ended.
  std::uint64_t first_row = 0;
};

// Makes a batch of these rows. `lanes` are ranges of the requested rows, with the lost ones: if 4 rows were requested
// for the lanes {0, 2} and {2, 4}, and row 1 is lost, Batch::lanes are {0, 1} and {1, 3}.
Batch batch_of(Rows rows, const std::vector<Range>& lanes, std::uint64_t first_row);

class Batches {
 public:
  // `rows` are the rows of an epoch in the order of the training; its elements must be rows, not batches.
  // `data_fingerprint` is a text that identifies the rows and their order, and is only stored. Throws an Error if there
  // are no rows, and for a batch or number of lanes of 0.
  Batches(Sequence rows, std::string data_fingerprint, Batching batching, OnDamage on_damage = OnDamage::stop);

  const Order& order() const { return order_; }
  const std::string& data_fingerprint() const { return data_fingerprint_; }
  // Reads the rows of some neighbouring lanes of a batch, on the calling thread. position.step must be less than
  // order().steps_in_epoch(). With OnDamage::stop, if any of the rows cannot be used, returns instead the damage that
  // comes first by file and record. The batch is divided into `lanes_in_batch` lanes, at most 2^32. If that is 0, or
  // with Batching::own_runs, it is divided into Batching::lanes. Throws an Error if storage fails.
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
