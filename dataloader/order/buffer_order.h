// The order of a shuffle through a buffer, as tf.data.Dataset.shuffle has it: of the next `buffer` elements one is
// drawn at a time. Numbers are shuffled, not elements, so that it is cheap and its state is how many were given: to go
// on from there, it counts them again. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/order/place.h"
#include "dataloader/order/random.h"

namespace carrack::data {

class BufferOrder {
 public:
  // Of `size` elements, at least one. Throws an Error for a buffer of nothing.
  BufferOrder(std::uint64_t size, std::uint64_t buffer, const Random& random, std::uint64_t first_epoch = 0);

  // The next place; behind the last of an epoch those of the next, in another order.
  Place next();

 private:
  std::uint64_t size_;
  std::uint64_t buffer_size_;
  Random random_;
  std::uint64_t epoch_;
  std::uint64_t taken_ = 0;  // into the buffer
  std::uint64_t given_ = 0;
  std::vector<std::uint64_t> buffer_;
};

}  // namespace carrack::data
