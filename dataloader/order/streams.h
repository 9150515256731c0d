// Streams: the order of a first pass, an epoch that begins before the files are indexed. Each lane reads a stream of
// whole files, one after the other. It is a pure function of the seed, the sizes of the files, the batch and the lanes;
// the number of records of a stream need not be known before its end. docs/design/unindexed-epoch.md says why files are
// not split. Immutable; safe for many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataloader/order/order.h"

namespace carrack::data {

class Streams {
 public:
  // `file_sizes` are in bytes, as the files are stored; files of 0 bytes are in no stream. batching.own_runs is
  // ignored. In all functions `lane` is less than lanes(). Throws an Error for a batch or number of lanes of 0.
  Streams(std::uint64_t seed, std::span<const std::uint64_t> file_sizes, Batching batching);

  const Batching& batching() const { return batching_; }
  std::uint64_t lanes() const { return files_.size(); }
  // Returns the files of a lane's stream, in order, as indexes into `file_sizes`. If there are more lanes than records
  // in a batch, the last lanes have no files, and an empty share of each step.
  const std::vector<std::size_t>& files(std::uint64_t lane) const { return files_[lane]; }

  // Returns which records of a lane's stream a step uses, as numbers within the stream, from 0. They may be beyond the
  // end of the stream, whose length is not known here.
  Range places(std::uint64_t step, std::uint64_t lane) const;
  // Returns the number of steps of a lane whose stream has `records` records, rounded up: the last step may be short.
  // `records` must be 0 for a lane without files.
  std::uint64_t steps(std::uint64_t lane, std::uint64_t records) const;

 private:
  // Returns the number of records of each step that a lane has.
  std::uint64_t share(std::uint64_t lane) const { return lane_of(batching_.batch, batching_.lanes, lane).size(); }

  Batching batching_;
  std::vector<std::vector<std::size_t>> files_;  // by lane
};

}  // namespace carrack::data
