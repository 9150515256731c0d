#include "dataloader/order/streams.h"

#include <algorithm>

#include "dataloader/error.h"
#include "dataloader/order/permutation.h"

namespace carrack::data {

LaneStreams::LaneStreams(std::uint64_t seed, std::span<const std::uint64_t> file_sizes, Batching batching)
    : batching_(batching), files_(batching.lanes) {
  if (batching.batch == 0 || batching.lanes == 0) throw Error("a batch has at least one record and one lane");
  // Assigns each file to the lane whose stream ends first so far. `ends` has the end of each stream: its bytes divided
  // by the share that the lane has of a batch, because a lane with a larger share reads its files faster. Lanes with an
  // empty share get no files.
  std::vector<double> ends(std::min(batching.batch, batching.lanes));
  const Permutation order(file_sizes.size(), Random(seed, "first pass"), 0);
  for (std::uint64_t place = 0; place < file_sizes.size(); ++place) {
    const std::size_t file = order.at(place);
    if (file_sizes[file] == 0) continue;
    const auto lane = static_cast<std::size_t>(std::ranges::min_element(ends) - ends.begin());
    files_[lane].push_back(file);
    ends[lane] += static_cast<double>(file_sizes[file]) / static_cast<double>(share(lane));
  }
}

Range LaneStreams::places(std::uint64_t step, std::uint64_t lane) const {
  return {step * share(lane), (step + 1) * share(lane)};
}

std::uint64_t LaneStreams::steps(std::uint64_t lane, std::uint64_t records) const {
  return records == 0 ? 0 : (records - 1) / share(lane) + 1;
}

}  // namespace carrack::data
