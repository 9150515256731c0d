// Memory in many pieces of one size, such as the blocks of a cache. Pieces that are smaller than a huge page (2 MiB)
// share huge pages, so that few page lookups are needed to read anywhere in them.
#pragma once

#include <cstddef>
#include <memory>

namespace carrack::data {

// The piece that was given back last is taken next. The memory of pieces smaller than 2 MiB is freed once the object
// and all its pieces are gone, and not before. Such pieces lie directly one after the other in a huge page, so they are
// aligned only if `piece_bytes` is a multiple of the alignment. Larger pieces come from shared_memory() (recycled.h)
// and are given back to it. Thread-safe.
class EqualPieces {
 public:
  // `piece_bytes` must not be 0.
  explicit EqualPieces(std::size_t piece_bytes);

  // Returns an uninitialised piece, which is given back when its last owner is gone. It may outlive this object. Throws
  // std::bad_alloc.
  std::shared_ptr<std::byte[]> take() const;

 private:
  struct Shared;
  const std::shared_ptr<Shared> shared_;
};

}  // namespace carrack::data
