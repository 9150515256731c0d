// The inflated bytes of a compressed file as a source that can be read at any offset. A read begins to inflate at the
// last seek point before its bytes, or where an earlier read has stopped. So a read that continues an earlier read
// inflates only its own bytes. Any other read also inflates the bytes since the seek point.
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

// Inflaters that wait for the next read of their files. Each takes some 90 KB, and the bytes that it has not used. If
// all together take more than `bytes_max` bytes, those that have waited longest are dropped. Several sources may share
// one object. Thread-safe.
class WaitingInflaters {
 public:
  static constexpr std::size_t usual_bytes_max = std::size_t{64} << 20;

  explicit WaitingInflaters(std::size_t bytes_max = usual_bytes_max) : bytes_max_(bytes_max) {}

  // Returns a number for a new source, which no other source has.
  std::uint64_t add_source() EXCLUDES(mutex_);
  // Removes and returns an inflater of the source whose `out` is from `first` to `last` (inclusive): the inflater with
  // the highest `out` if there are several, nullopt if there is none.
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

// Returns a source of the `size` inflated bytes of `file`. `points` must be the seek points of the same version of the
// file, and `waiting` must not be null. If the compressed data is damaged, the bytes up to the next point read as
// zeros; damage that can still be inflated reads as wrong bytes. Neither is an error here: the checksums of records
// find both.
std::unique_ptr<const ByteSource> inflated(std::unique_ptr<const ByteSource> file,
                                           std::shared_ptr<const SeekPoints> points, std::uint64_t size,
                                           std::shared_ptr<WaitingInflaters> waiting);

}  // namespace carrack::data
