// Files in blocks, the last used ones kept: who wants records that lie near each other reads each block once, in
// whatever order and by however many threads they are wanted. Many threads at once.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "dataloader/records/byte_source.h"

namespace carrack::data {

class BlockCache {
 public:
  using Memory = std::shared_ptr<const std::byte[]>;

  // `block_bytes` each, but for a file's last one. Those in use may be more than `most_bytes`.
  BlockCache(std::uint64_t block_bytes, std::uint64_t most_bytes);

  // These blocks of a file, which are read in one call where they are not here. Their numbers are all different. Throws
  // an Error where the file is no longer what it was, and what reading it throws, to all who wait for it.
  std::vector<Memory> get(std::size_t file, const ByteSource& source, std::span<const std::uint64_t> numbers);
  std::uint64_t block_bytes() const { return block_bytes_; }
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  using Key = std::pair<std::size_t, std::uint64_t>;  // file, block
  struct Entry {
    bool is_settled = false;  // It was read, or could not be.
    std::exception_ptr error;
    Memory memory;
    std::list<Key>::iterator used;
  };
  using Numbered = std::pair<std::uint64_t, std::shared_ptr<Entry>>;

  void read(const ByteSource& source, std::span<const Numbered> blocks);
  void settle(std::size_t file, std::span<const Numbered> blocks, const std::exception_ptr& error);

  const std::uint64_t block_bytes_;
  const std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> bytes_read_ = 0;
  std::mutex mutex_;  // Guards all below, and what is in each Entry.
  std::condition_variable settled_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
  std::list<Key> by_use_;  // the last used first
  std::uint64_t bytes_ = 0;
};

}  // namespace carrack::data
