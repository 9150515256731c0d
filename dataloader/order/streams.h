// LaneStreams: which files each lane reads in a first pass, an epoch that begins before the files are indexed. (A lane
// is a share of every batch, which one worker computes.) Without an index the middle of a file cannot be found, so each
// lane reads whole files, one after the other: its stream. The numbers of records of the files need not be known. It is
// a pure function of the seed, the sizes of the files, the batch and the lanes, so all workers of a job compute the
// same. docs/design/unindexed-epoch.md has the design. Immutable; safe for many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataloader/order/order.h"

namespace carrack::data {

class LaneStreams {
 public:
  // Shuffles the files by the seed, and gives each lane about the same number of bytes for each record of its share of
  // a batch. `file_sizes` are in bytes, as the files are stored; files of 0 bytes are in no stream. batching.own_runs
  // is ignored. In all functions `lane` is less than lanes(). Throws an Error for a batch or number of lanes of 0.
  LaneStreams(std::uint64_t seed, std::span<const std::uint64_t> file_sizes, Batching batching);

  const Batching& batching() const { return batching_; }
  std::uint64_t lanes() const { return files_.size(); }
  // Returns the files of a lane's stream, in order, as indexes into `file_sizes`. If there are more lanes than records
  // in a batch, the last lanes have no files, and an empty share of each step.
  const std::vector<std::size_t>& files(std::uint64_t lane) const { return files_[lane]; }

  // Returns which records of a lane's stream a step uses, as numbers within the stream, from 0: with a share of 8
  // records in a batch, step 2 uses {16, 24}. They may be beyond the end of the stream, whose length is not known here.
  Range places(std::uint64_t step, std::uint64_t lane) const;
  // Returns in how many steps a lane uses the `records` records of its stream; the last step may use fewer than the
  // others. `records` must be 0 for a lane without files.
  std::uint64_t steps(std::uint64_t lane, std::uint64_t records) const;

 private:
  // Returns the number of records of each step that a lane has.
  std::uint64_t share(std::uint64_t lane) const { return lane_of(batching_.batch, batching_.lanes, lane).size(); }

  Batching batching_;
  std::vector<std::vector<std::size_t>> files_;  // by lane
};

}  // namespace carrack::data
