// Settings for how the process allocates memory.
#pragma once

#include <cstddef>
#include <span>

namespace carrack::data {

// Makes all threads allocate from one heap. Call it before the first thread starts. By default glibc creates a heap for
// each thread, and each heap retains the memory that was freed in it. The one heap retains at most about 16 MiB of free
// memory at its end. Blocks of 128 KiB and more are mapped outside of the heap, and unmapped when they are freed.
void use_one_heap();

// Lets the system use huge pages, of 2 MiB, which are faster to touch and to look up. Call it before the memory is
// touched. It affects only the whole huge pages within `memory`. The first byte that is touched in one of them may take
// all of its 2 MiB, so use this for memory that will be filled. Does nothing if the system has no huge pages.
void use_huge_pages(std::span<std::byte> memory);

}  // namespace carrack::data
