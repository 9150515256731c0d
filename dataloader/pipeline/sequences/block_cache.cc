#include "dataloader/pipeline/sequences/block_cache.h"

#include <algorithm>

#include "dataloader/error.h"
#include "dataloader/memory/recycled.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

BlockCache::BlockCache(std::uint64_t block_bytes, std::uint64_t most_bytes)
    : block_bytes_(block_bytes), most_bytes_(most_bytes) {}

std::vector<BlockCache::Memory> BlockCache::get(std::size_t file, const ByteSource& source,
                                                std::span<const std::uint64_t> numbers) {
  std::vector<std::shared_ptr<Entry>> wanted;
  std::vector<Numbered> missing;
  {
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t number : numbers) {
      auto [found, is_new] = entries_.try_emplace({file, number});
      if (is_new) {
        found->second = std::make_shared<Entry>();
        by_use_.push_front(found->first);
        found->second->used = by_use_.begin();
        missing.emplace_back(number, found->second);
      } else {
        by_use_.splice(by_use_.begin(), by_use_, found->second->used);
      }
      wanted.push_back(found->second);
    }
  }
  if (!missing.empty()) {
    std::exception_ptr error;
    try {
      read(source, missing);
    } catch (...) {
      error = std::current_exception();
    }
    settle(file, missing, error);
  }
  std::vector<Memory> blocks;
  std::unique_lock lock(mutex_);
  for (const std::shared_ptr<Entry>& entry : wanted) {
    settled_.wait(lock, [&] { return entry->is_settled; });
    if (entry->error) std::rethrow_exception(entry->error);
    blocks.push_back(entry->memory);
  }
  return blocks;
}

void BlockCache::read(const ByteSource& source, std::span<const Numbered> blocks) {
  std::vector<Slice> slices;
  for (const auto& [number, entry] : blocks) {
    const std::uint64_t offset = number * block_bytes_;
    const std::uint64_t size = std::min(block_bytes_, source.stat().size - offset);
    const std::shared_ptr<std::byte[]> memory = shared_memory(block_bytes_);
    entry->memory = memory;
    slices.push_back({offset, {memory.get(), size}});
    bytes_read_ += size;
  }
  if (source.read(slices) != ReadResult::complete) throw Error(source.name() + ": " + fault_text(Fault::changed));
}

// What was read counts from now on, and what was used longest ago goes; what was not read is nobody's.
void BlockCache::settle(std::size_t file, std::span<const Numbered> blocks, const std::exception_ptr& error) {
  std::vector<Memory> freed;  // after the lock
  const std::lock_guard lock(mutex_);
  for (const auto& [number, entry] : blocks) {
    entry->is_settled = true;
    entry->error = error;
    if (!error) {
      bytes_ += block_bytes_;
    } else {
      by_use_.erase(entry->used);
      entries_.erase({file, number});
    }
  }
  for (auto last = by_use_.end(); bytes_ > most_bytes_ && last != by_use_.begin();) {
    --last;
    const auto found = entries_.find(*last);
    if (!found->second->is_settled) continue;
    freed.push_back(found->second->memory);
    entries_.erase(found);
    last = by_use_.erase(last);
    bytes_ -= block_bytes_;
  }
  settled_.notify_all();
}

}  // namespace carrack::data
