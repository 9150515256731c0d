// The order of a shuffle through a buffer, as tf.data.Dataset.shuffle has it: each element is drawn from the next
// `buffer` ones. It shuffles the numbers of elements, not the elements. There is nothing to save but the count of calls
// of next(): to resume, make an equal BufferOrder and call next() as often again. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/order/place.h"
#include "dataloader/order/random.h"

namespace carrack::data {

class BufferOrder {
 public:
  // `size` is the number of elements in an epoch; it must not be 0. Throws an Error if `buffer` is 0. Uses 8 bytes for
  // each number in the buffer.
  BufferOrder(std::uint64_t size, std::uint64_t buffer, const Random& random, std::uint64_t first_epoch = 0);

  // The next place. After the last one of an epoch the next epoch begins, in another order.
  Place next();

 private:
  std::uint64_t size_;
  std::uint64_t buffer_size_;
  Random random_;
  std::uint64_t epoch_;
  std::uint64_t buffered_ = 0;  // numbers put into the buffer in this epoch
  std::uint64_t returned_ = 0;  // numbers returned in this epoch
  std::vector<std::uint64_t> buffer_;
};

}  // namespace carrack::data
