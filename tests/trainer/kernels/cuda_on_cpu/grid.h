// Runs the threads of a CUDA kernel on the CPU, block after block, each thread of a block as a fibre of the calling
// thread. A fibre runs until it waits for others, so what a kernel gets wrong shows the same way in each run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>

struct dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

namespace carrack::cuda_on_cpu {

inline constexpr unsigned warp_size = 32;

// The order in which blocks, and threads of a block between two waits, run.
enum class Order { forward, backward, drawn };

// For all grids that follow; `seed` decides about Order::drawn.
void set_order(Order order, std::uint64_t seed = 0);

struct Grid {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes = 0;
};

// Calls `thread` for each thread of the grid. Returns what is wrong with the kernel, naming block and thread, or an
// empty string. After a fault no further thread runs.
std::string run_grid(const Grid& grid, const std::function<void()>& thread);

// What a thread of a running grid calls.

// The numbers of the thread that runs, as in CUDA; always the same object.
struct Position {
  dim3 grid;
  dim3 block;
  dim3 block_index;
  dim3 thread_index;
};
const Position& position();

using Place = std::source_location;
using LaneValues = std::array<std::uint64_t, warp_size>;

// Returns when all threads of the block wait at the same place.
void wait_for_block(const Place& place);
// Returns when all lanes of `mask` wait at the same place with the same mask: the value of each, and 0 for the others.
LaneValues exchange(std::uint32_t mask, std::uint64_t value, const Place& place);
// The thread's number in its warp.
unsigned lane();
// Ends the grid; the message names block and thread.
[[noreturn]] void fail(const std::string& what);
// The bytes that the launch asked for.
std::byte* shared_bytes();
std::size_t shared_size_bytes();

}  // namespace carrack::cuda_on_cpu
