// A cache of blocks of files, from which the least recently used blocks are dropped. Records that are near each other
// are read with one read of each block, in any order and by any number of threads. Safe from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dataloader/memory/equal_pieces.h"
#include "dataloader/mutex.h"
#include "dataloader/records/byte_source.h"

namespace carrack::data {

class BlockCache {
 public:
  using Memory = std::shared_ptr<const std::byte[]>;

  // All blocks have `block_bytes`, except the last one of a file. Blocks that are being read, and dropped blocks that a
  // caller still holds, may take memory beyond `max_bytes`.
  BlockCache(std::uint64_t block_bytes, std::uint64_t max_bytes);

  // Returns the blocks of `source` with these numbers, all different, in their order. A block's number is its offset
  // divided by the size of a block. `file` identifies the source among all files of this cache. This thread reads, in
  // one call, the blocks that are neither cached nor being read, and waits for those that other threads are reading.
  // Throws an Error if the file has changed, and whatever reading a block throws, also if another thread reads it. Such
  // a block is not cached, so a later call tries again.
  std::vector<Memory> get(std::size_t file, const ByteSource& source, std::span<const std::uint64_t> numbers)
      EXCLUDES(mutex_);
  // The bytes that all calls have read.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  using Key = std::pair<std::size_t, std::uint64_t>;  // file, block
  struct Entry {
    bool is_settled = false;   // Reading has ended, perhaps with an error.
    std::exception_ptr error;  // nullptr if reading has succeeded
    Memory memory;
    std::list<Key>::iterator recency;  // its element in by_recency_
  };
  using Numbered = std::pair<std::uint64_t, std::shared_ptr<Entry>>;

  void read(const ByteSource& source, std::span<const Numbered> blocks);
  void settle(std::size_t file, std::span<const Numbered> blocks, const std::exception_ptr& error) EXCLUDES(mutex_);
  void drop_old_blocks(std::vector<Memory>& dropped) REQUIRES(mutex_);

  const std::uint64_t block_bytes_;
  const std::uint64_t max_bytes_;
  const EqualPieces pieces_;
  std::atomic<std::uint64_t> bytes_read_ = 0;
  // Also guards each Entry, except `memory` until the entry is settled: only the thread that reads the block uses it.
  Mutex mutex_;
  ConditionVariable settled_;
  std::map<Key, std::shared_ptr<Entry>> entries_ GUARDED_BY(mutex_);
  std::list<Key> by_recency_ GUARDED_BY(mutex_);  // the most recently used first
  std::uint64_t bytes_ GUARDED_BY(mutex_) = 0;    // of the blocks that were read, each counted as a whole one
};

}  // namespace carrack::data
