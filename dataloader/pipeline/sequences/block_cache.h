// A cache of blocks of files, of which the least recently used are dropped. Records that are near each other are read
// with one read of each block, in any order and by any number of threads. Safe from any thread.
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

  // Blocks have `block_bytes`, but for the last one of a file. Blocks in use are not dropped, so that there may be more
  // than `max_bytes` of them.
  BlockCache(std::uint64_t block_bytes, std::uint64_t max_bytes);

  // Returns these blocks of a file, in their order; their numbers are all different. Those that are neither here nor on
  // the way are read by this thread, in one call. Throws an Error if the file has changed, and what reading it throws,
  // also if another thread reads: all threads that wait for a block get its error. A later call tries again.
  std::vector<Memory> get(std::size_t file, const ByteSource& source, std::span<const std::uint64_t> numbers)
      EXCLUDES(mutex_);
  std::uint64_t block_bytes() const { return block_bytes_; }
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  using Key = std::pair<std::size_t, std::uint64_t>;  // file, block
  struct Entry {
    bool is_settled = false;   // Reading has ended, maybe with an error.
    std::exception_ptr error;  // if it has
    Memory memory;
    std::list<Key>::iterator recency;  // its element of by_recency_
  };
  using Numbered = std::pair<std::uint64_t, std::shared_ptr<Entry>>;

  void read(const ByteSource& source, std::span<const Numbered> blocks);
  void settle(std::size_t file, std::span<const Numbered> blocks, const std::exception_ptr& error) EXCLUDES(mutex_);
  void drop_old_blocks(std::vector<Memory>& dropped) REQUIRES(mutex_);

  const std::uint64_t block_bytes_;
  const std::uint64_t max_bytes_;
  const EqualPieces pieces_;
  std::atomic<std::uint64_t> bytes_read_ = 0;
  // Also guards each Entry, but for `memory` until it is settled: only the thread that reads touches that.
  Mutex mutex_;
  ConditionVariable settled_;
  std::map<Key, std::shared_ptr<Entry>> entries_ GUARDED_BY(mutex_);
  std::list<Key> by_recency_ GUARDED_BY(mutex_);  // the most recently used first
  std::uint64_t bytes_ GUARDED_BY(mutex_) = 0;    // of blocks that were read
};

}  // namespace carrack::data
