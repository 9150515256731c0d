// BlockCache: an LRU cache of blocks of files. A shuffle requests records in random order; with this cache, records
// that are near each other share one read of their block, even if different threads request them. Thread-safe.
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
  // One block. It stays valid as long as the caller has the pointer, even after the cache has dropped the block.
  using Memory = std::shared_ptr<const std::byte[]>;

  // Blocks have `block_bytes` bytes, which must not be 0. Only the last block of a file has fewer valid bytes. After
  // each read, the least recently used blocks are dropped until at most `max_bytes` are cached. Blocks that are being
  // read, and dropped blocks that a caller still has, take memory in addition to that.
  BlockCache(std::uint64_t block_bytes, std::uint64_t max_bytes);

  // Returns the blocks of `source` with these numbers, in the order of `numbers`. A block's number is its offset in the
  // file divided by `block_bytes`; all must be within the file. `file` identifies the source among all files of this
  // cache. The calling thread reads, with one ByteSource::read(), the blocks that are neither cached nor being read. It
  // waits for those that other threads are reading. Throws an Error if the file has changed, and any exception of
  // reading one of the blocks, even on another thread. Such a block is not cached, so a later call reads it again.
  std::vector<Memory> get(std::size_t file, const ByteSource& source, std::span<const std::uint64_t> numbers)
      EXCLUDES(mutex_);
  // The number of bytes that all calls so far have read from files (not from the cache), even for reads that failed.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  using Key = std::pair<std::size_t, std::uint64_t>;  // file, block
  struct Entry {
    bool is_settled = false;   // Reading has ended, with or without an error.
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
  std::list<Key> by_recency_ GUARDED_BY(mutex_);  // the most recently used block first
  std::uint64_t bytes_ GUARDED_BY(mutex_) = 0;    // of all cached blocks, each counted as a whole block
};

}  // namespace carrack::data
