// Settings for how the process allocates memory.
#pragma once

#include <cstddef>
#include <span>

namespace carrack::data {

// Makes all threads allocate from one heap. Call it before the first thread starts. By default glibc gives each thread
// its own heap, and each heap retains the memory that was freed in it. The heap retains 16 MiB of freed memory at its
// end for later allocations. Blocks of 128 KiB and more are mapped outside of the heap, and unmapped when they are
// freed.
void use_one_heap();

// Lets the system use huge pages, of 2 MiB, for memory that has not been touched yet. They are faster to touch and to
// look up. It uses no more memory: parts that do not fill a huge page stay in small pages.
void use_huge_pages(std::span<std::byte> memory);

}  // namespace carrack::data
