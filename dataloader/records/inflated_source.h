// inflated(): makes a compressed file readable at any offset of its inflated (decompressed) bytes, so that records of a
// GZIP or ZLIB file can be read in any order. A read begins to inflate at the last seek point before its bytes, or
// nearer, where an earlier read has stopped, if its inflater is still in the InflaterCache. So a read that continues an
// earlier read usually inflates only its own bytes. Any other read also inflates the bytes since the seek point, which
// may be megabytes.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "dataloader/mutex.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/records/seek_points.h"

namespace carrack::data {

// An inflater in the middle of a file, with bytes of the file that it has not used yet.
struct InflaterAt {
  Inflater inflater;
  std::uint64_t in = 0;   // the offset in the file of the next byte to inflate
  std::uint64_t out = 0;  // the offset of the next inflated byte
  Bytes input = {};       // bytes of the file around `in`
  std::size_t used = 0;   // the number of bytes of `input` before `in`
};

// A cache of the inflaters with which earlier reads have stopped, so that a read that continues there is fast. Several
// inflated() sources may share one cache, and then its limit. An inflater needs about 90 KB of memory, and that of the
// bytes that it has not used. If all together take more than `bytes_max` bytes, the oldest are dropped: their reads
// begin at a seek point again, with the same result. Only the sources of inflated() call the functions. Thread-safe.
class InflaterCache {
 public:
  static constexpr std::size_t usual_bytes_max = std::size_t{64} << 20;

  explicit InflaterCache(std::size_t bytes_max = usual_bytes_max) : bytes_max_(bytes_max) {}

  // Returns a new number, which identifies a source in take() and put().
  std::uint64_t add_source() EXCLUDES(mutex_);
  // Removes and returns an inflater of the source whose `out` is from `first` to `last` (inclusive). If there are
  // several, it is the one with the highest `out`; if there is none, the result is nullopt.
  std::optional<InflaterAt> take(std::uint64_t source, std::uint64_t first, std::uint64_t last) EXCLUDES(mutex_);
  // Stores an inflater for a later take().
  void put(std::uint64_t source, InflaterAt inflater) EXCLUDES(mutex_);

 private:
  struct Waiting {
    std::uint64_t source;
    InflaterAt inflater;
  };

  const std::size_t bytes_max_;
  Mutex mutex_;
  std::uint64_t sources_ GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;       // memory of all waiting inflaters and their input
  std::list<Waiting> waiting_ GUARDED_BY(mutex_);  // in the order in which they were put, the oldest first
};

// Returns a source of the inflated bytes of `file`, which it owns. `points` and `size`, the number of inflated bytes,
// must be those of the Index of the same version of the file. `waiting` must not be null. If the compressed data is
// damaged, the bytes up to the next point read as zeros; damage that can still be inflated reads as wrong bytes.
// Neither is an error here: the checksums of records find both.
std::unique_ptr<const ByteSource> inflated(std::unique_ptr<const ByteSource> file,
                                           std::shared_ptr<const SeekPoints> points, std::uint64_t size,
                                           std::shared_ptr<InflaterCache> waiting);

}  // namespace carrack::data
