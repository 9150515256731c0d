// Order: which records each lane of each batch has, as places in the epoch's order. This is a pure function of the
// number of records, so a Position is the complete state of a training's input, and any number of workers compute the
// same batches.
#pragma once

#include <cstdint>

namespace carrack::data {

// Names the batch that is read next.
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
  // If true, each lane reads its own part of the epoch from front to back. With orders that read long pieces, few
  // pieces are then read by more than one worker. If false, a batch consists of consecutive places.
  bool own_runs = false;
};

// Returns a lane's share of a batch of `records` records, as indexes into the batch; `lane` is less than `lanes`. The
// sizes of the shares differ by at most one; the first lanes have the larger shares. A share may be empty.
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
  // Returns the places of the records of the neighbouring lanes `lanes`, if each batch is divided into `count` lanes,
  // at most 2^32, instead of Batching::lanes. The records of a small last batch are spread over all lanes, too. Must
  // not be called with own_runs.
  Range lanes_of(std::uint64_t step, Range lanes, std::uint64_t count) const;

 private:
  std::uint64_t records_;
  Batching batching_;
};

}  // namespace carrack::data
