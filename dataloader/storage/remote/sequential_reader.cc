#include "dataloader/storage/remote/sequential_reader.h"

#include <algorithm>
#include <cstring>

#include "dataloader/check.h"
#include "dataloader/crc32c.h"

namespace carrack::data {
namespace {

constexpr std::uint64_t block_bytes = range_bytes_max;
// If the memory budget is used up, a reader without any block requests one of this size beyond the budget, because
// reading must continue.
constexpr std::uint64_t unbudgeted_block_bytes = std::uint64_t{1} << 20;
// The maximum number of blocks that are requested in parallel. Fewer blocks do not fill a fast network. More blocks
// need more memory, which a virtual machine is slow to provide, and more threads, which compete for cores with the
// thread that receives the next bytes.
constexpr std::size_t blocks_ahead_max = 32;
// After the caller has waited for this number of bytes, it is expected to continue reading, so more blocks are read
// ahead.
constexpr std::uint64_t waited_bytes_before_more = std::uint64_t{512} << 10;

}  // namespace

SequentialReader::~SequentialReader() {
  for (const Block& block : blocks_) block.fetch->cancel();
  while (!blocks_.empty()) drop_block();
}

ReadResult SequentialReader::read(std::span<std::byte> into) {
  while (!into.empty()) {
    request_blocks(into.size());
    if (blocks_.empty()) return ReadResult::past_end;
    const Block& block = blocks_.front();
    CHECK_LT(read_of_first_, block.fetch->size());
    const std::uint64_t end = std::min(read_of_first_ + into.size(), block.fetch->size());
    if (block.fetch->received() < end) {
      if (block.fetch->wait_for_bytes(end) < end) return block.fetch->wait();
      waited_bytes_ += end - read_of_first_;
    }
    std::memcpy(into.data(), block.bytes.get() + read_of_first_, end - read_of_first_);
    into = into.subspan(end - read_of_first_);
    read_of_first_ = end;
    if (read_of_first_ == block.fetch->size()) finish_block();
  }
  return ReadResult::complete;
}

void SequentialReader::request_blocks(std::uint64_t bytes) {
  if (waited_bytes_ >= waited_bytes_before_more && blocks_ahead_ < blocks_ahead_max) {
    waited_bytes_ = 0;
    blocks_ahead_ = std::min(2 * blocks_ahead_, blocks_ahead_max);
  }
  const std::uint64_t end = finished_bytes_ + read_of_first_ + bytes;
  while (requested_ < size_ && (requested_ < end || blocks_.size() < blocks_ahead_)) {
    const std::uint64_t size = std::min(block_bytes, size_ - requested_);
    if (MemoryBudget::Block memory = memory_.take(size)) {
      request_block(std::move(memory), size, true);
    } else if (blocks_.empty()) {
      const std::uint64_t small = std::min(size, unbudgeted_block_bytes);
      request_block(MemoryBudget::allocate(small), small, false);
    } else {
      return;
    }
  }
}

void SequentialReader::request_block(MemoryBudget::Block bytes, std::uint64_t size, bool is_budgeted) {
  const Slice slice{requested_, {bytes.get(), size}};
  auto fetch = std::make_shared<RangeFetch>(object_, ObjectRange{requested_, size, {slice}}, true);
  blocks_.push_back({std::move(bytes), is_budgeted, fetch});
  requested_ += size;
  pool_.start(std::move(fetch));
}

void SequentialReader::finish_block() {
  const RangeFetch& fetch = *blocks_.front().fetch;
  crc32c_ = crc32c_combine(crc32c_, fetch.crc32c(), fetch.size());
  finished_bytes_ += fetch.size();
  read_of_first_ = 0;
  drop_block();
  if (finished_bytes_ == size_ && object_->is_damaged(size_, crc32c_)) object_->throw_damaged(1);
}

void SequentialReader::drop_block() {
  Block& block = blocks_.front();
  if (block.is_budgeted) memory_.give_back(std::move(block.bytes), block.fetch->size());
  blocks_.pop_front();
}

}  // namespace carrack::data
