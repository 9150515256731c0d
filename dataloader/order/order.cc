#include "dataloader/order/order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dataloader/error.h"

namespace carrack::data {

Range lane_of(std::uint64_t records, std::uint64_t lanes, std::uint64_t lane) {
  const auto begin = [&](std::uint64_t number) {
    return number * (records / lanes) + std::min(number, records % lanes);
  };
  return {begin(lane), begin(lane + 1)};
}

Order::Order(std::uint64_t seed, std::vector<std::uint64_t> records_in_file, Batching batching)
    : random_(seed, "order"), ends_(std::move(records_in_file)), batching_(batching) {
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  if (ends_.empty() || records() == 0) throw Error("there are no records to read");
  if (batching.batch == 0 || batching.lanes == 0) throw Error("a batch has at least one record and one lane");
}

std::uint64_t Order::steps_in_epoch() const {
  return (records() - 1) / batching_.batch + 1;
}

Position Order::after(Position position) const {
  return position.step + 1 < steps_in_epoch() ? Position{position.epoch, position.step + 1}
                                              : Position{position.epoch + 1, 0};
}

Range Order::batch(std::uint64_t step) const {
  const std::uint64_t begin = step * batching_.batch;
  return {begin, begin + std::min(batching_.batch, records() - begin)};
}

Range Order::lane(std::uint64_t step, std::uint64_t lane) const {
  const Range whole = batch(step);
  const Range share = lane_of(whole.size(), batching_.lanes, lane);
  return {whole.begin + share.begin, whole.begin + share.end};
}

RecordId Order::record(std::uint64_t number) const {
  const auto file = std::upper_bound(ends_.begin(), ends_.end(), number);
  const std::uint64_t before = file == ends_.begin() ? 0 : *(file - 1);
  return {static_cast<std::size_t>(file - ends_.begin()), number - before};
}

}  // namespace carrack::data
