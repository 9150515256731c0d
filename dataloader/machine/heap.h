// How the process allocates memory.
#pragma once

#include <cstddef>
#include <span>

namespace carrack::data {

// How many bytes of freed memory the heap holds at its end for later allocations.
inline constexpr std::size_t heap_slack_bytes = std::size_t{16} << 20;

// Makes all threads allocate from one heap. By default glibc gives each thread a heap of its own, and each holds the
// memory that was freed in it. Blocks of 128 KiB and more are mapped outside of the heap, and unmapped when they are
// freed. To be called before the first thread starts.
void use_one_heap();

// Returns freed memory to the system, except for the slack. The heap shrinks by itself only at its end, so pieces that
// were freed in the middle need this.
void return_freed_memory();

// Lets the system back that memory by huge pages, if it has not been touched yet and is large enough to hold some. They
// are touched and looked up faster. No memory is added: what does not fill a huge page stays in small ones.
void use_huge_pages(std::span<std::byte> memory);

// Memory for large arrays that come and go. A freed block stays with the process, for the next one of the same size, as
// fresh memory takes the system longer than an array takes to fill. So of each size the process holds as many blocks as
// it once had at the same time. Blocks of less than a MiB come from the heap. Thread-safe.
//
// Throws std::bad_alloc.
void* allocate_block(std::size_t bytes);
// `bytes` is the size that the block was allocated with.
void free_block(void* block, std::size_t bytes) noexcept;

}  // namespace carrack::data
