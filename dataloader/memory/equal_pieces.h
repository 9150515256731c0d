// Many pieces of one size, such as the blocks of a cache. Pieces that are smaller than a huge page share huge pages, so
// that reading anywhere among them rarely looks up a page.
#pragma once

#include <cstddef>
#include <memory>

namespace carrack::data {

// A piece that is given back is the next one that is taken. The memory is freed with the object and the last piece.
// Thread-safe.
class EqualPieces {
 public:
  explicit EqualPieces(std::size_t piece_bytes);

  // An uninitialised piece, which is given back when its last owner is gone. It may outlive this object. Throws
  // std::bad_alloc.
  std::shared_ptr<std::byte[]> take() const;

 private:
  struct Shared;
  const std::shared_ptr<Shared> shared_;
};

}  // namespace carrack::data
