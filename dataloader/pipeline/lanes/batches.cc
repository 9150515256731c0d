#include "dataloader/pipeline/lanes/batches.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace carrack::data {

Batches::Batches(Sequence rows, std::string data_fingerprint, Batching batching)
    : rows_(std::move(rows)), data_fingerprint_(std::move(data_fingerprint)), order_(rows_.size(), batching) {}

// Of each lane, or of all of them together.
std::vector<Range> Batches::places_of(std::uint64_t step, Range lanes, std::uint64_t lanes_in_batch) const {
  if (lanes_in_batch != 0 && !order_.batching().own_runs) return {order_.lanes_of(step, lanes, lanes_in_batch)};
  std::vector<Range> places;
  for (std::uint64_t lane = lanes.begin; lane < lanes.end; ++lane) places.push_back(order_.lane(step, lane));
  return places;
}

std::uint64_t Batches::first_row(std::uint64_t step, Range lanes, std::uint64_t lanes_in_batch) const {
  const Batching& batching = order_.batching();
  const std::uint64_t before = step * batching.batch;
  if (lanes_in_batch != 0 && !batching.own_runs) return order_.lanes_of(step, lanes, lanes_in_batch).begin - before;
  return lane_of(std::min(batching.batch, order_.records() - before), batching.lanes, lanes.begin).begin;
}

std::variant<Batch, Corrupt> Batches::read(Position position, Range lanes, std::uint64_t lanes_in_batch) const {
  Batch batch;
  batch.first_row = first_row(position.step, lanes, lanes_in_batch);
  std::vector<Place> places;
  for (const Range in_epoch : places_of(position.step, lanes, lanes_in_batch)) {
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
