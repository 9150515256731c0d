// Memory in many pieces of one size, such as the blocks of a cache. Pieces that are smaller than a huge page (2 MiB)
// share huge pages, so that few page lookups are needed to read anywhere in them.
#pragma once

#include <cstddef>
#include <memory>

namespace carrack::data {

// The piece that was returned last is taken next. The memory of smaller pieces than a huge page is freed once the
// object and all its pieces are gone, and not before. Thread-safe.
class EqualPieces {
 public:
  // `piece_bytes` must not be 0.
  explicit EqualPieces(std::size_t piece_bytes);

  // Returns an uninitialised piece, which becomes free for others when its last owner is gone. It may outlive this
  // object. Throws std::bad_alloc.
  std::shared_ptr<std::byte[]> take() const;

 private:
  struct Shared;
  const std::shared_ptr<Shared> shared_;
};

}  // namespace carrack::data
