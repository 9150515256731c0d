#include "dataloader/storage/gcs/gcs_sequential_reader.h"

#include <algorithm>
#include <cstring>

#include "dataloader/crc32c.h"

namespace carrack::data {
namespace {

constexpr std::uint64_t block_size = longest_range;
// What is read where the budget gives nothing, as a stream must go on.
constexpr std::uint64_t smallest_block = std::uint64_t{1} << 20;
// Fewer do not fill a fast network. More take more memory, which a virtual machine is slow to give, and more threads
// that take the cores from the one whose bytes are next.
constexpr std::size_t most_ahead = 32;
// Who has waited for so much is taken to read on.
constexpr std::uint64_t step = std::uint64_t{512} << 10;

}  // namespace

GcsReader::~GcsReader() {
  for (const Block& block : blocks_) block.fetch->cancel();
  while (!blocks_.empty()) drop_block();
}

ReadResult GcsReader::read(std::span<std::byte> into) {
  while (!into.empty()) {
    ask_ahead(into.size());
    if (blocks_.empty()) return ReadResult::past_end;
    const Block& block = blocks_.front();
    const std::uint64_t wanted = std::min(taken_ + into.size(), block.fetch->size());
    if (block.fetch->got() < wanted) {
      if (block.fetch->wait_for(wanted) < wanted) return block.fetch->wait();
      waited_ += wanted - taken_;
    }
    std::memcpy(into.data(), block.bytes.get() + taken_, wanted - taken_);
    into = into.subspan(wanted - taken_);
    taken_ = wanted;
    if (taken_ == block.fetch->size()) leave_block();
  }
  return ReadResult::complete;
}

void GcsReader::ask_ahead(std::uint64_t wanted) {
  if (waited_ >= step && ahead_ < most_ahead) {
    waited_ = 0;
    ahead_ = std::min(2 * ahead_, most_ahead);
  }
  const std::uint64_t end = left_behind_ + taken_ + wanted;
  while (asked_ < size_ && (asked_ < end || blocks_.size() < ahead_)) {
    const std::uint64_t size = std::min(block_size, size_ - asked_);
    if (MemoryBudget::Block bytes = memory_.take(size)) {
      ask(std::move(bytes), size, true);
    } else if (blocks_.empty()) {
      const std::uint64_t least = std::min(size, smallest_block);
      ask(MemoryBudget::block(least), least, false);
    } else {
      return;
    }
  }
}

void GcsReader::ask(MemoryBudget::Block bytes, std::uint64_t size, bool of_budget) {
  const Slice slice{asked_, {bytes.get(), size}};
  auto fetch = std::make_shared<GcsFetch>(object_, ObjectRange{asked_, size, {slice}}, true);
  blocks_.push_back({std::move(bytes), of_budget, fetch});
  asked_ += size;
  fetcher_.start(std::move(fetch));
}

void GcsReader::leave_block() {
  const GcsFetch& fetch = *blocks_.front().fetch;
  crc32c_ = crc32c_combine(crc32c_, fetch.crc32c(), fetch.size());
  left_behind_ += fetch.size();
  taken_ = 0;
  drop_block();
  if (left_behind_ == size_ && object_->is_damaged(size_, crc32c_)) object_->throw_damaged(1);
}

void GcsReader::drop_block() {
  Block& block = blocks_.front();
  if (block.of_budget) memory_.give_back(std::move(block.bytes), block.fetch->size());
  blocks_.pop_front();
}

}  // namespace carrack::data
