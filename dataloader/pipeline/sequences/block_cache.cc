#include "dataloader/pipeline/sequences/block_cache.h"

#include <algorithm>

#include "dataloader/check.h"
#include "dataloader/error.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

BlockCache::BlockCache(std::uint64_t block_bytes, std::uint64_t max_bytes)
    : block_bytes_(block_bytes), max_bytes_(max_bytes), pieces_(block_bytes) {}

std::vector<BlockCache::Memory> BlockCache::get(std::size_t file, const ByteSource& source,
                                                std::span<const std::uint64_t> numbers) {
  std::vector<std::shared_ptr<Entry>> entries;
  std::vector<Numbered> missing;
  {
    const MutexLock lock(mutex_);
    for (const std::uint64_t number : numbers) {
      auto [found, is_new] = entries_.try_emplace({file, number});
      if (is_new) {
        found->second = std::make_shared<Entry>();
        by_recency_.push_front(found->first);
        found->second->recency = by_recency_.begin();
        missing.emplace_back(number, found->second);
      } else {
        by_recency_.splice(by_recency_.begin(), by_recency_, found->second->recency);
      }
      entries.push_back(found->second);
    }
  }
  if (!missing.empty()) {
    // Other threads may wait for these blocks. So this thread catches every exception, and settle() stores it with the
    // blocks. The loop below throws it on each thread that needs one of them.
    std::exception_ptr error;
    try {
      read(source, missing);
    } catch (...) {
      error = std::current_exception();
    }
    settle(file, missing, error);
  }
  std::vector<Memory> blocks;
  MutexLock lock(mutex_);
  for (const std::shared_ptr<Entry>& entry : entries) {
    while (!entry->is_settled) settled_.wait(lock);
    if (entry->error) std::rethrow_exception(entry->error);
    CHECK(entry->memory != nullptr);
    blocks.push_back(entry->memory);
  }
  return blocks;
}

void BlockCache::read(const ByteSource& source, std::span<const Numbered> blocks) {
  std::vector<Slice> slices;
  for (const auto& [number, entry] : blocks) {
    const std::uint64_t offset = number * block_bytes_;
    const std::uint64_t size = std::min(block_bytes_, source.stat().size - offset);
    const std::shared_ptr<std::byte[]> memory = pieces_.take();
    entry->memory = memory;
    slices.push_back({offset, {memory.get(), size}});
    bytes_read_ += size;
  }
  if (source.read(slices) != ReadResult::complete) throw Error(source.name() + ": " + fault_text(Fault::changed));
}

// Ends the reading of blocks, and wakes the threads that wait for them. If it has failed, removes the blocks from the
// cache, so that a later call reads them again.
void BlockCache::settle(std::size_t file, std::span<const Numbered> blocks, const std::exception_ptr& error) {
  std::vector<Memory> dropped;  // declared before the lock, so that the blocks are freed after the mutex is unlocked
  const MutexLock lock(mutex_);
  for (const auto& [number, entry] : blocks) {
    CHECK(!entry->is_settled);
    entry->is_settled = true;
    entry->error = error;
    if (!error) {
      bytes_ += block_bytes_;
    } else {
      by_recency_.erase(entry->recency);
      entries_.erase({file, number});
    }
  }
  drop_old_blocks(dropped);
  CHECK_EQ(entries_.size(), by_recency_.size());
  settled_.notify_all();
}

// Moves the least recently used blocks to `dropped` until the cache is within its limit. Blocks that are being read
// remain.
void BlockCache::drop_old_blocks(std::vector<Memory>& dropped) {
  for (auto oldest = by_recency_.end(); bytes_ > max_bytes_ && oldest != by_recency_.begin();) {
    --oldest;
    const auto found = entries_.find(*oldest);
    CHECK(found != entries_.end());
    if (!found->second->is_settled) continue;
    CHECK_GE(bytes_, block_bytes_);
    dropped.push_back(found->second->memory);
    entries_.erase(found);
    oldest = by_recency_.erase(oldest);
    bytes_ -= block_bytes_;
  }
}

}  // namespace carrack::data
