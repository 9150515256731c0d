// Large pieces of memory that are used again. For fresh memory the kernel has to find and clear pages, which takes
// longer than filling them. Freed pieces are kept for the next user in this process, up to 512 MiB or an eighth of the
// memory that the process may use. Safe for many threads.
#pragma once

#include <cstddef>
#include <memory>

namespace carrack::data {

// Uninitialised memory, aligned to 64 bytes if it is 64 KiB or more. Throws std::bad_alloc.
void* take_memory(std::size_t bytes);
// `bytes` is the size that the memory was taken with.
void give_memory_back(void* memory, std::size_t bytes) noexcept;

// The same memory, given back by the last owner of the pointer.
std::shared_ptr<std::byte[]> shared_memory(std::size_t bytes);

}  // namespace carrack::data
