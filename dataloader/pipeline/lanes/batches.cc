#include "dataloader/pipeline/lanes/batches.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace carrack::data {

Batches::Batches(Sequence rows, std::string data_fingerprint, Batching batching)
    : rows_(std::move(rows)), data_fingerprint_(std::move(data_fingerprint)), order_(rows_.size(), batching) {}

std::variant<Batch, Corrupt> Batches::read(Position position, Range lanes) const {
  Batch batch;
  std::vector<Place> places;
  for (std::uint64_t lane = lanes.begin; lane < lanes.end; ++lane) {
    const Range in_epoch = order_.lane(position.step, lane);
    const std::uint64_t first = places.size();
    for (std::uint64_t number = in_epoch.begin; number < in_epoch.end; ++number)
      places.push_back({position.epoch, number});
    batch.lanes.push_back({first, places.size()});
  }
  batch.rows = rows_.read(places);
  if (batch.rows.lost.empty()) return batch;
  // If all rows are bad alike, as with a wrong feature, the error is the same for all members of a job.
  const auto first = std::ranges::min_element(
      batch.rows.lost, {}, [](const Lost& lost) { return std::tie(lost.why.file, lost.why.record); });
  return first->why;
}

}  // namespace carrack::data
