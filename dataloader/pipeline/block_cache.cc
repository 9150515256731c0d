#include "dataloader/pipeline/block_cache.h"

#include <algorithm>

namespace carrack::data {

BlockCache::BlockCache(std::uint64_t block_bytes, std::uint64_t most_bytes)
    : block_bytes_(block_bytes), most_bytes_(most_bytes), pool_(most_bytes / 4) {}

std::optional<std::vector<BlockCache::Memory>> BlockCache::get(std::size_t file, const ByteSource& source,
                                                               std::span<const std::uint64_t> numbers) {
  std::vector<std::shared_ptr<Entry>> wanted;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Entry>>> missing;
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
    bool good = false;
    try {
      good = read(source, missing);
    } catch (...) {
      settle(file, missing, false);
      throw;
    }
    settle(file, missing, good);
  }
  std::vector<Memory> blocks;
  std::unique_lock lock(mutex_);
  for (const std::shared_ptr<Entry>& entry : wanted) {
    settled_.wait(lock, [&] { return entry->state != Entry::State::reading; });
    if (entry->state == Entry::State::failed) return std::nullopt;
    blocks.push_back(entry->memory);
  }
  return blocks;
}

bool BlockCache::read(const ByteSource& source,
                      std::span<const std::pair<std::uint64_t, std::shared_ptr<Entry>>> blocks) {
  std::vector<Slice> slices;
  for (const auto& [number, entry] : blocks) {
    const std::uint64_t offset = number * block_bytes_;
    const std::shared_ptr<std::byte[]> memory = pool_.take(block_bytes_);
    entry->size = std::min(block_bytes_, source.stat().size - offset);
    entry->memory = memory;
    slices.push_back({offset, {memory.get(), entry->size}});
    bytes_read_ += entry->size;
  }
  return source.read(slices) == ReadResult::complete;
}

// What was read counts from now on, and what was used longest ago goes; what was not read is nobody's.
void BlockCache::settle(std::size_t file, std::span<const std::pair<std::uint64_t, std::shared_ptr<Entry>>> blocks,
                        bool good) {
  std::vector<Memory> freed;  // after the lock
  const std::lock_guard lock(mutex_);
  for (const auto& [number, entry] : blocks) {
    entry->state = good ? Entry::State::here : Entry::State::failed;
    if (good) {
      bytes_ += block_bytes_;
    } else {
      by_use_.erase(entry->used);
      entries_.erase({file, number});
    }
  }
  for (auto last = by_use_.end(); bytes_ > most_bytes_ && last != by_use_.begin();) {
    --last;
    const auto found = entries_.find(*last);
    if (found->second->state != Entry::State::here) continue;
    freed.push_back(found->second->memory);
    entries_.erase(found);
    last = by_use_.erase(last);
    bytes_ -= block_bytes_;
  }
  settled_.notify_all();
}

}  // namespace carrack::data
