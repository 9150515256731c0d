// How the process allocates memory.
#pragma once

#include <cstddef>

namespace carrack::data {

// The heap keeps about so much memory that was freed, so that it need not ask the system for it again.
inline constexpr std::size_t freed_bytes_kept = std::size_t{16} << 20;

// Lets all threads allocate from one heap. Otherwise each has its own, and keeps in it what it has freed. To be called
// before the first thread starts. Blocks of 128 KiB and more are not of the heap: they go back when they are freed.
void use_one_heap();

// Returns what was freed to the system, but for those at the end. After many small pieces were freed it is needed: a heap shrinks at its end
// only.
void return_freed_memory();

}  // namespace carrack::data
