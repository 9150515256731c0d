// RecycledMemory: a pool for large buffers that are often allocated and freed, such as columns of batches. Fresh pages
// of the system are slow: the kernel takes longer to find and clear them than a reader takes to fill them. So
// give_back() leaves a buffer of 64 KiB or more allocated, for a later take() of about its size (sizes are rounded up
// by at most an eighth). Large buffers use huge pages (2 MiB). Smaller buffers come from operator new, and give_back()
// frees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace carrack::data {

// A buffer that is not in use but still allocated is called idle. Thread-safe. AddressSanitizer reports any access to
// an idle buffer.
class RecycledMemory {
 public:
  // While the idle buffers together have more than `idle_bytes_max` bytes, the one that was idle for longest is freed.
  // 0: give_back() frees every buffer.
  explicit RecycledMemory(std::uint64_t idle_bytes_max);
  // Frees the idle buffers. A buffer without a give_back() is leaked.
  ~RecycledMemory();

  // Returns `bytes` bytes of uninitialised memory, aligned to 64 bytes if `bytes` is 64 KiB or more, else as operator
  // new aligns it. The caller owns it until give_back(). Throws std::bad_alloc if there is no memory.
  void* take(std::size_t bytes);
  // `memory` must be the result of take() of the same object with the same `bytes`.
  void give_back(void* memory, std::size_t bytes) noexcept;

 private:
  class Idle;
  const std::unique_ptr<Idle> idle_;
};

// The pool of the data loader, shared by all its threads and never destroyed. It has at most 512 MiB of idle buffers,
// or an eighth of the memory that the process may use (memory_of_this_process()) if that is less.
struct LoaderMemory {
  static RecycledMemory& get();
};

// Returns a buffer of `bytes` uninitialised bytes from LoaderMemory. It returns to LoaderMemory when the last
// shared_ptr to it is destroyed. Throws std::bad_alloc.
std::shared_ptr<std::byte[]> pooled_buffer(std::size_t bytes);

}  // namespace carrack::data
