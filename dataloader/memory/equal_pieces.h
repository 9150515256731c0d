// EqualPieces: a pool of memory blocks of one size (a slab allocator), for the blocks of a cache. Blocks smaller than a
// huge page (2 MiB) share huge pages, so that reading anywhere in them needs few entries of the CPU's TLB.
#pragma once

#include <cstddef>
#include <memory>

namespace carrack::data {

// Pieces smaller than 2 MiB: a released piece is returned by a later take(), the last one first. Their memory goes back
// to the system only once the EqualPieces and all its pieces are destroyed. They follow each other directly in a huge
// page, so they have an alignment only if `piece_bytes` is a multiple of it. Larger pieces are pooled_buffer()s
// (recycled.h). Thread-safe.
class EqualPieces {
 public:
  // `piece_bytes` must not be 0.
  explicit EqualPieces(std::size_t piece_bytes);

  // Returns a piece of `piece_bytes` uninitialised bytes. It is released to the pool when the last shared_ptr to it is
  // destroyed, and may outlive this object. Never returns null. Throws std::bad_alloc if there is no memory.
  std::shared_ptr<std::byte[]> take() const;

 private:
  struct Shared;
  const std::shared_ptr<Shared> shared_;
};

}  // namespace carrack::data
