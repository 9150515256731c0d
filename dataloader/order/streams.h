// The order of an epoch that is begun when no more is known of its files than their sizes: whole files, one behind the
// other, in a stream for each lane. A pure function of the seed, the sizes, the batch and the lanes; how many records
// a stream has nobody need know before its end. docs/design/unindexed-epoch.md says why files are whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataloader/order/order.h"

namespace carrack::data {

class Streams {
 public:
  // Throws an Error where there is no batch or no lane. Files without bytes are in no stream.
  Streams(std::uint64_t seed, std::span<const std::uint64_t> file_sizes, Batching batching);

  const Batching& batching() const { return batching_; }
  std::uint64_t lanes() const { return files_.size(); }
  // The files of a lane's stream in their order. A lane that has no share of a batch has none.
  const std::vector<std::size_t>& files(std::uint64_t lane) const { return files_[lane]; }

  // Which records of a lane's stream a step uses, as far as there are so many.
  Range places(std::uint64_t step, std::uint64_t lane) const;
  // How many steps a lane has whose stream holds so many records.
  std::uint64_t steps(std::uint64_t lane, std::uint64_t records) const;

 private:
  std::uint64_t share(std::uint64_t lane) const { return lane_of(batching_.batch, batching_.lanes, lane).size(); }

  Batching batching_;
  std::vector<std::vector<std::size_t>> files_;  // by lane
};

}  // namespace carrack::data
