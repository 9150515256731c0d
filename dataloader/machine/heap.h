// How the process allocates memory.
#pragma once

#include <cstddef>
#include <span>

namespace carrack::data {

// Makes all threads allocate from one heap. By default glibc gives each thread a heap of its own, and each holds the
// memory that was freed in it. Blocks of 128 KiB and more are mapped outside of the heap, and unmapped when they are
// freed. The heap holds 16 MiB of freed memory at its end for later allocations. To be called before the first thread
// starts.
void use_one_heap();

// Lets the system back that memory by huge pages, if it has not been touched yet and is large enough to hold some. They
// are touched and looked up faster. No memory is added: what does not fill a huge page stays in small ones.
void use_huge_pages(std::span<std::byte> memory);

}  // namespace carrack::data
