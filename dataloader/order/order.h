// Which places of an epoch make up which lanes of which batch: a pure function of how many there are. The state of a
// training's input is therefore a Position; any number of workers, at any time, compute the same batches.
#pragma once

#include <cstdint>

namespace carrack::data {

// What is to be read next.
struct Position {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;  // in the epoch
  bool operator==(const Position&) const = default;
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
  // Each lane goes through a run of the epoch of its own, as is good where near places are read together: workers then
  // read nothing of each other's. Else a batch is made of neighbours.
  bool own_runs = false;
};

// A lane's share of a batch of `records`: shares differ by one at most, and the first lanes have the larger ones.
Range lane_of(std::uint64_t records, std::uint64_t lanes, std::uint64_t lane);

class Order {
 public:
  // Throws an Error where there is no record, no batch or no lane.
  Order(std::uint64_t records, Batching batching);

  const Batching& batching() const { return batching_; }
  std::uint64_t records() const { return records_; }
  std::uint64_t steps_in_epoch() const;
  Position after(Position position) const;

  // The places of one lane's records in their epoch, of which the last batch is short.
  Range lane(std::uint64_t step, std::uint64_t lane) const;

 private:
  std::uint64_t records_;
  Batching batching_;
};

}  // namespace carrack::data
