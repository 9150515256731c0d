// BufferOrder: the order of a shuffle through a buffer, as in tf.data.Dataset.shuffle: each element is drawn at random
// from a buffer, and the next element of the input replaces it there. This class shuffles the numbers 0 to size - 1,
// not the elements, so only numbers are in memory. A sequence_stream() with a buffer reads in this order. Its state is
// the number of calls of next(): to resume, make an equal BufferOrder and call next() the same number of times. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/order/place.h"
#include "dataloader/order/random.h"

namespace carrack::data {

class BufferOrder {
 public:
  // `size` is the number of elements in an epoch; it must not be 0. `buffer` is the number of elements in the buffer;
  // more than `size` is reduced to `size`. Throws an Error if `buffer` is 0. Allocates 8 bytes for each element of the
  // buffer here. `random` and the number of the epoch decide what is drawn; the first epoch is `first_epoch`.
  BufferOrder(std::uint64_t size, std::uint64_t buffer, const Random& random, std::uint64_t first_epoch = 0);

  // Returns the number of the next element and its epoch; never ends. After the last element of an epoch the next epoch
  // begins, in another order.
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
