// Settings for how the process allocates memory.
#pragma once

#include <cstddef>
#include <span>

namespace carrack::data {

// Reduces the memory that a process with many threads needs: makes all threads allocate (malloc) from one heap. Call it
// in main(), before the first thread starts, as carrack-trainer does. By default glibc creates a heap for each thread,
// and each heap retains the memory that was freed in it. The one heap retains at most about 16 MiB of free memory at
// its end. Blocks of 128 KiB and more are mapped outside of the heap, and unmapped when they are freed.
void use_one_heap();

// Lets Linux back `memory` with huge pages of 2 MiB (transparent huge pages), which take fewer page faults and TLB
// misses. Call it after allocating the memory and before its first use. It affects only the whole 2 MiB pages within
// `memory`. The first use of a byte in one of them may take all of its 2 MiB, so call this for memory that will be
// filled. Does nothing if the system has no huge pages.
void use_huge_pages(std::span<std::byte> memory);

}  // namespace carrack::data
