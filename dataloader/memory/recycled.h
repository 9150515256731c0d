// Memory that is used again: fresh pages have to be found and cleared by the kernel, which takes longer than to fill
// them. What is given back is kept for whoever in this process comes next, up to a bound. Safe from any thread.
#pragma once

#include <cstddef>
#include <memory>

namespace carrack::data {

// Uninitialised.
void* take_memory(std::size_t bytes);
// As many as were taken.
void give_memory_back(void* memory, std::size_t bytes) noexcept;

// Comes back when its last owner lets it go.
std::shared_ptr<std::byte[]> shared_memory(std::size_t bytes);

}  // namespace carrack::data
