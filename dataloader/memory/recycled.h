// Recycles large pieces of memory, because the kernel takes longer to find and clear fresh pages than a reader takes to
// fill them. A piece of 64 KiB or more that is returned stays allocated for the next take_memory() of about its size.
// All such idle pieces together have at most 512 MiB, or an eighth of the memory that the process may use if that is
// less; beyond that the oldest are freed. Smaller pieces come from operator new. Safe for many threads.
#pragma once

#include <cstddef>
#include <memory>

namespace carrack::data {

// Returns uninitialised memory, aligned to 64 bytes if `bytes` is 64 KiB or more, otherwise as operator new aligns it.
// Throws std::bad_alloc.
void* take_memory(std::size_t bytes);
// `memory` must come from take_memory(bytes), with the same `bytes`.
void give_memory_back(void* memory, std::size_t bytes) noexcept;

// The same memory as a shared pointer, which returns it when its last owner is gone.
std::shared_ptr<std::byte[]> shared_memory(std::size_t bytes);

}  // namespace carrack::data
