#include "dataloader/pipeline/lanes/batches.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace carrack::data {

Batch batch_of(Rows rows, const std::vector<Range>& lanes, std::uint64_t first_row) {
  Batch batch{.rows = std::move(rows), .lanes = {}, .lost = {}, .first_row = first_row};
  const auto lost_before = [&](std::uint64_t index) {
    const std::vector<Lost>& lost = batch.rows.lost;
    return static_cast<std::uint64_t>(std::ranges::lower_bound(lost, index, {}, &Lost::index) - lost.begin());
  };
  for (const Range lane : lanes) {
    const Range lost{lost_before(lane.begin), lost_before(lane.end)};
    batch.lanes.push_back({lane.begin - lost.begin, lane.end - lost.end});
    batch.lost.push_back(lost);
  }
  return batch;
}

Batches::Batches(Sequence rows, std::string data_fingerprint, Batching batching, OnDamage on_damage)
    : rows_(std::move(rows)),
      data_fingerprint_(std::move(data_fingerprint)),
      order_(rows_.size(), batching),
      on_damage_(on_damage) {}

// Returns one range of places for each lane. If `lanes_in_batch` is set, the caller does not need the rows of single
// lanes, so returns a single range for all lanes together. With own_runs that is impossible, because the places of the
// lanes are not consecutive.
std::vector<Range> Batches::places_of(std::uint64_t step, Range lanes, std::uint64_t lanes_in_batch) const {
  if (lanes_in_batch != 0 && !order_.batching().own_runs) return {order_.lanes_of(step, lanes, lanes_in_batch)};
  std::vector<Range> places;
  for (std::uint64_t lane = lanes.begin; lane < lanes.end; ++lane) places.push_back(order_.lane(step, lane));
  return places;
}

// Returns how many rows of the batch belong to earlier lanes than lanes.begin.
std::uint64_t Batches::first_row(std::uint64_t step, Range lanes, std::uint64_t lanes_in_batch) const {
  const Batching& batching = order_.batching();
  const std::uint64_t before = step * batching.batch;
  if (lanes_in_batch != 0 && !batching.own_runs) return order_.lanes_of(step, lanes, lanes_in_batch).begin - before;
  return lane_of(std::min(batching.batch, order_.records() - before), batching.lanes, lanes.begin).begin;
}

std::variant<Batch, Corrupt> Batches::read(Position position, Range lanes, std::uint64_t lanes_in_batch) const {
  std::vector<Place> places;
  std::vector<Range> requested;
  for (const Range in_epoch : places_of(position.step, lanes, lanes_in_batch)) {
    const std::uint64_t first = places.size();
    for (std::uint64_t number = in_epoch.begin; number < in_epoch.end; ++number)
      places.push_back({position.epoch, number});
    requested.push_back({first, places.size()});
  }
  Rows rows = rows_.read(places);
  if (rows.lost.empty() || on_damage_ == OnDamage::skip)
    return batch_of(std::move(rows), requested, first_row(position.step, lanes, lanes_in_batch));
  // Reports the damage that comes first by file and record, so that the error does not depend on the order in which the
  // rows are shuffled.
  const auto first = std::ranges::min_element(
      rows.lost, {}, [](const Lost& lost) { return std::tie(lost.why.file, lost.why.record); });
  return first->why;
}

}  // namespace carrack::data
