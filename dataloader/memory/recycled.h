// Memory for large arrays that are often allocated and freed, such as columns of batches. The system takes longer to
// find and clear fresh pages than a reader takes to fill them. So a piece of 64 KiB or more that is given back stays
// allocated for a later take() of about its size. Such a piece uses a huge page (2 MiB) where it fills one. Smaller
// pieces come from operator new and are not retained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace carrack::data {

// Allocates pieces, and retains the pieces that were given back, which are called idle. Thread-safe. AddressSanitizer
// reports any access to an idle piece.
class RecycledMemory {
 public:
  // If all idle pieces together have more than `idle_bytes_max` bytes, those that were idle for longest are freed. 0:
  // no piece is retained.
  explicit RecycledMemory(std::uint64_t idle_bytes_max);
  // Frees the idle pieces. A piece that was not given back stays allocated.
  ~RecycledMemory();

  // Returns a piece of uninitialised memory, aligned to 64 bytes if `bytes` is 64 KiB or more, else as operator new
  // aligns it. Throws std::bad_alloc.
  void* take(std::size_t bytes);
  // `memory` must be the result of take() of the same object with the same `bytes`.
  void give_back(void* memory, std::size_t bytes) noexcept;

 private:
  class Idle;
  const std::unique_ptr<Idle> idle_;
};

// The memory of the data loader, which is never destroyed. Retains at most 512 MiB of idle pieces, or an eighth of the
// memory that the process may use (memory_of_this_process()) if that is less.
struct LoaderMemory {
  static RecycledMemory& get();
};

// Takes an uninitialised piece from LoaderMemory. It is given back when its last owner is gone. Throws std::bad_alloc.
std::shared_ptr<std::byte[]> shared_memory(std::size_t bytes);

}  // namespace carrack::data
