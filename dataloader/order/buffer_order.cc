#include "dataloader/order/buffer_order.h"

#include <algorithm>

#include "dataloader/error.h"

namespace carrack::data {

BufferOrder::BufferOrder(std::uint64_t size, std::uint64_t buffer, const Random& random, std::uint64_t first_epoch)
    : size_(size), buffer_size_(std::min(buffer, size)), random_(random), epoch_(first_epoch) {
  if (buffer == 0) throw Error("shuffle: a buffer holds at least one element");
  buffer_.reserve(buffer_size_);
}

Place BufferOrder::next() {
  if (returned_ == size_) {
    ++epoch_;
    buffered_ = returned_ = 0;
  }
  while (buffered_ < size_ && buffer_.size() < buffer_size_) buffer_.push_back(buffered_++);
  const std::uint64_t drawn = random_.bits(epoch_, returned_++) % buffer_.size();
  const Place place{epoch_, buffer_[drawn]};
  if (buffered_ < size_) {
    buffer_[drawn] = buffered_++;
  } else {
    // No element of the input is left to replace the drawn one, so the buffer becomes smaller.
    buffer_[drawn] = buffer_.back();
    buffer_.pop_back();
  }
  return place;
}

}  // namespace carrack::data
