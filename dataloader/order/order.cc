#include "dataloader/order/order.h"

#include <algorithm>

#include "dataloader/check.h"
#include "dataloader/error.h"

namespace carrack::data {

Range lane_of(std::uint64_t records, std::uint64_t lanes, std::uint64_t lane) {
  const auto begin = [&](std::uint64_t number) {
    return number * (records / lanes) + std::min(number, records % lanes);
  };
  return {begin(lane), begin(lane + 1)};
}

Order::Order(std::uint64_t records, Batching batching) : records_(records), batching_(batching) {
  if (records == 0) throw Error("there are no records to read");
  if (batching.batch == 0 || batching.lanes == 0) throw Error("a batch has at least one record and one lane");
}

std::uint64_t Order::steps_in_epoch() const {
  return (records_ - 1) / batching_.batch + 1;
}

Position Order::after(Position position) const {
  return position.step + 1 < steps_in_epoch() ? Position{position.epoch, position.step + 1}
                                              : Position{position.epoch + 1, 0};
}

Range Order::lanes_of(std::uint64_t step, Range lanes, std::uint64_t count) const {
  CHECK(!batching_.own_runs);
  const std::uint64_t before = step * batching_.batch;
  const std::uint64_t now = std::min(batching_.batch, records_ - before);
  // Returns now * lane / count, rounded down. It is computed in two parts, because now * lane may not fit into 64 bits.
  const auto begin = [&](std::uint64_t lane) { return now / count * lane + now % count * lane / count; };
  return {before + begin(lanes.begin), before + begin(lanes.end)};
}

Range Order::lane(std::uint64_t step, std::uint64_t lane) const {
  const std::uint64_t before = step * batching_.batch;
  const std::uint64_t now = std::min(batching_.batch, records_ - before);
  const Range share = lane_of(now, batching_.lanes, lane);
  if (!batching_.own_runs) return {before + share.begin, before + share.end};
  // With own_runs each lane reads one part of the epoch. The part has the shares of the lane in all whole batches, and
  // then its share of the last batch if that is incomplete.
  const std::uint64_t whole = records_ / batching_.batch;
  const Range of_whole = lane_of(batching_.batch, batching_.lanes, lane);
  const std::uint64_t run = whole * of_whole.begin + lane_of(records_ % batching_.batch, batching_.lanes, lane).begin;
  const std::uint64_t begin = run + step * of_whole.size();
  return {begin, begin + share.size()};
}

}  // namespace carrack::data
