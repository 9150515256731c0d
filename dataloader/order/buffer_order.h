// The order of a shuffle through a buffer, as tf.data.Dataset.shuffle has it: each element is drawn from the next
// `buffer` ones. It shuffles numbers, not elements, so its state is the count of numbers returned; resuming replays
// them. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/order/place.h"
#include "dataloader/order/random.h"

namespace carrack::data {

class BufferOrder {
 public:
  // For `size` elements, at least one. Throws an Error for a buffer of 0.
  BufferOrder(std::uint64_t size, std::uint64_t buffer, const Random& random, std::uint64_t first_epoch = 0);

  // The next place. After the last one of an epoch the next epoch begins, in another order.
  Place next();

 private:
  std::uint64_t size_;
  std::uint64_t buffer_size_;
  Random random_;
  std::uint64_t epoch_;
  std::uint64_t taken_ = 0;  // numbers put into the buffer
  std::uint64_t given_ = 0;
  std::vector<std::uint64_t> buffer_;
};

}  // namespace carrack::data
