// Which records make up which batch: a pure function of the seed, the epoch and the number of records in each file.
// The state of the input is therefore a Position; any number of workers, at any time, compute the same batches.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/order/permutation.h"
#include "dataloader/order/random.h"

namespace carrack::data {

// What is to be read next.
struct Position {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;  // in the epoch
  bool operator==(const Position&) const = default;
};

struct RecordId {
  std::size_t file = 0;
  std::uint64_t record = 0;
  bool operator==(const RecordId&) const = default;
};

// Numbers from `begin` up to but not including `end`.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

struct Batching {
  std::uint64_t batch = 1;  // records in one update
  std::uint64_t lanes = 1;
};

// A lane's share of a batch of `records`: shares differ by one at most, and the first lanes have the larger ones.
Range lane_of(std::uint64_t records, std::uint64_t lanes, std::uint64_t lane);

class Order {
 public:
  // Throws an Error where there is no record, no batch or no lane.
  Order(std::uint64_t seed, std::vector<std::uint64_t> records_in_file, Batching batching);

  const Batching& batching() const { return batching_; }
  std::uint64_t records() const { return ends_.back(); }
  std::uint64_t steps_in_epoch() const;
  Position after(Position position) const;

  // The places of a batch's records in their epoch; the last batch of an epoch is short.
  Range batch(std::uint64_t step) const;
  // The places of one lane's records.
  Range lane(std::uint64_t step, std::uint64_t lane) const;
  // An epoch's records by their places.
  Permutation epoch(std::uint64_t epoch) const { return {records(), random_, epoch}; }
  // Which record has this number, counting through all files.
  RecordId record(std::uint64_t number) const;

 private:
  Random random_;
  std::vector<std::uint64_t> ends_;  // of each file, the number of records in it and those before
  Batching batching_;
};

}  // namespace carrack::data
