// Which places of an epoch each lane of each batch has: a pure function of the number of records. So a Position is all
// the state of the input of a training, and any number of workers compute the same batches.
#pragma once

#include <cstdint>

namespace carrack::data {

// The batch that is read next.
struct Position {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;  // in the epoch
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
  std::uint64_t batch = 1;  // records of one step
  std::uint64_t lanes = 1;
  // If true, each lane has a run of the epoch of its own. With orders that read long pieces, workers then read no piece
  // twice. If false, a batch consists of consecutive places.
  bool own_runs = false;
};

// A lane's share of a batch of `records`. Shares differ by one at most; the first lanes have the larger ones.
Range lane_of(std::uint64_t records, std::uint64_t lanes, std::uint64_t lane);

class Order {
 public:
  // Throws an Error for no records, or a batch or number of lanes of 0.
  Order(std::uint64_t records, Batching batching);

  const Batching& batching() const { return batching_; }
  std::uint64_t records() const { return records_; }
  std::uint64_t steps_in_epoch() const;
  // The next step, or the first one of the next epoch.
  Position after(Position position) const;

  // The places of one lane's records in the epoch, for a step of the epoch. The last batch of an epoch may be smaller,
  // and a lane's share of it empty.
  Range lane(std::uint64_t step, std::uint64_t lane) const;
  // The places of the records of lanes [lanes.begin, lanes.end) if each batch is cut into `count` lanes, at most 2^32,
  // whatever Batching::lanes is. Of a small last batch, too, each run of lanes has its share. Not if lanes have
  // own_runs.
  Range lanes_of(std::uint64_t step, Range lanes, std::uint64_t count) const;

 private:
  std::uint64_t records_;
  Batching batching_;
};

}  // namespace carrack::data
