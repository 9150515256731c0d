// The inflated bytes of a compressed file as a source that can be read anywhere: a read begins at the seek point before
// it, or where an earlier read has stopped. So reading on costs what inflating does, and a read elsewhere up to the
// distance of two points more. Safe to use from several threads.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "dataloader/mutex.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/records/seek_points.h"

namespace carrack::data {

// An inflater that stands at a place of a file, with bytes of the file that it has not used yet.
struct InflaterAt {
  Inflater inflater;
  std::uint64_t in = 0;   // in the file
  std::uint64_t out = 0;  // in the inflated bytes
  Bytes input = {};       // bytes of the file
  std::size_t used = 0;   // how many of them stand before `in`
};

// Inflaters that wait for the next read of their files, each some 90 KB and the bytes that it has not used; of too much
// memory, the longest unused are dropped. Sources may share one. Safe to use from several threads.
class WaitingInflaters {
 public:
  static constexpr std::size_t usual_bytes_max = std::size_t{64} << 20;

  explicit WaitingInflaters(std::size_t bytes_max = usual_bytes_max) : bytes_max_(bytes_max) {}

  // A number for a source, which no other source has.
  std::uint64_t add_source() EXCLUDES(mutex_);
  // Takes the source's inflater that stands last between two places of the inflated bytes, both included.
  std::optional<InflaterAt> take(std::uint64_t source, std::uint64_t first, std::uint64_t last) EXCLUDES(mutex_);
  void put(std::uint64_t source, InflaterAt inflater) EXCLUDES(mutex_);

 private:
  struct Waiting {
    std::uint64_t source;
    InflaterAt inflater;
  };

  const std::size_t bytes_max_;
  Mutex mutex_;
  std::uint64_t sources_ GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;       // of the inflaters, with those of the files
  std::list<Waiting> waiting_ GUARDED_BY(mutex_);  // the longest unused first
};

// The `size` inflated bytes of `file`, of whose version `points` must be. Where the file is damaged the bytes up to the
// next point read as zeros; damage that can still be inflated reads as other bytes. The checksums of records find both.
std::unique_ptr<const ByteSource> inflated(std::unique_ptr<const ByteSource> file,
                                           std::shared_ptr<const SeekPoints> points, std::uint64_t size,
                                           std::shared_ptr<WaitingInflaters> waiting);

}  // namespace carrack::data
