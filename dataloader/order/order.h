// Order: which records belong to each step and lane of a training. (A step uses one batch. A lane is a share of every
// batch, which one worker computes.) Records are named by their places, the positions in the shuffled order of the
// epoch. All of it is a pure function of the number of records, so a Position is the complete state of a training's
// input, and any number of workers compute the same batches.
//
//   Order order(10, {.batch = 4, .lanes = 2});     // steps_in_epoch() is 3
//   order.lane(0, 0), order.lane(0, 1)             // {0, 2}, {2, 4}
//   order.lane(2, 0), order.lane(2, 1)             // {8, 9}, {9, 10}: the last batch has two records
#pragma once

#include <cstdint>

namespace carrack::data {

// Names a batch; in a saved state the batch that is read next.
struct Position {
  std::uint64_t epoch = 0;  // from 0
  std::uint64_t step = 0;   // in the epoch, from 0
  bool operator==(const Position&) const = default;
};

// The numbers from `begin` up to, but not including, `end`.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

struct Batching {
  std::uint64_t batch = 1;  // number of records in a step
  std::uint64_t lanes = 1;  // number of lanes of each batch
  // False: a batch consists of consecutive places. True: the epoch is divided into one part for each lane, and each
  // lane reads its part from front to back, so a batch has a few places of each part. For block shuffles: few runs are
  // then read by more than one worker.
  bool own_runs = false;
};

// Returns a lane's share of a batch of `records` records, as indexes into the batch; `lane` is less than `lanes`. The
// sizes of the shares differ by at most one; the first lanes have the larger shares. A share may be empty. Of 10
// records and 3 lanes: {0, 4}, {4, 7}, {7, 10}.
Range lane_of(std::uint64_t records, std::uint64_t lanes, std::uint64_t lane);

class Order {
 public:
  // Throws an Error if `records`, the batch or the number of lanes is 0.
  Order(std::uint64_t records, Batching batching);

  const Batching& batching() const { return batching_; }
  std::uint64_t records() const { return records_; }
  std::uint64_t steps_in_epoch() const;  // at least 1; the last batch may be smaller
  // Returns the position after `position`: the next step, or the first step of the next epoch.
  Position after(Position position) const;

  // Returns the places of one lane's records in a step. `step` is less than steps_in_epoch(), and `lane` less than
  // Batching::lanes. The range may be empty if the batch has fewer records than lanes.
  Range lane(std::uint64_t step, std::uint64_t lane) const;
  // Returns the places of the records of several neighbouring lanes, for a batch that is divided into `count` lanes, at
  // most 2^32, instead of Batching::lanes. `step` is less than steps_in_epoch(), and lanes.end at most `count`. The
  // records of a small last batch are divided among all lanes, too. Must not be called with own_runs.
  Range lanes_of(std::uint64_t step, Range lanes, std::uint64_t count) const;

 private:
  std::uint64_t records_;
  Batching batching_;
};

}  // namespace carrack::data
