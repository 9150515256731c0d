// Files in blocks, the last used ones kept: who wants records that lie near each other reads each block once, in
// whatever order and by however many threads they are wanted. Many threads at once.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dataloader/memory/memory_pool.h"
#include "dataloader/records/byte_source.h"

namespace carrack::data {

class BlockCache {
 public:
  using Memory = std::shared_ptr<const std::byte[]>;

  // `block_bytes` each, but for a file's last one. Those in use may be more than `most_bytes`.
  BlockCache(std::uint64_t block_bytes, std::uint64_t most_bytes);

  // These blocks of a file, which are read in one call where they are not here; nothing where the file is no longer
  // what it was. Their numbers are all different.
  std::optional<std::vector<Memory>> get(std::size_t file, const ByteSource& source,
                                         std::span<const std::uint64_t> numbers);
  std::uint64_t block_bytes() const { return block_bytes_; }
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  using Key = std::pair<std::size_t, std::uint64_t>;  // file, block
  struct Entry {
    enum class State { reading, here, failed } state = State::reading;
    Memory memory;
    std::uint64_t size = 0;
    std::list<Key>::iterator used;
  };

  bool read(const ByteSource& source, std::span<const std::pair<std::uint64_t, std::shared_ptr<Entry>>> blocks);
  void settle(std::size_t file, std::span<const std::pair<std::uint64_t, std::shared_ptr<Entry>>> blocks, bool good);

  const std::uint64_t block_bytes_;
  const std::uint64_t most_bytes_;
  const MemoryPool pool_;
  std::atomic<std::uint64_t> bytes_read_ = 0;
  std::mutex mutex_;  // Guards all below, and what is in each Entry.
  std::condition_variable settled_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
  std::list<Key> by_use_;  // the last used first
  std::uint64_t bytes_ = 0;
};

}  // namespace carrack::data
