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

}  // namespace carrack::data
