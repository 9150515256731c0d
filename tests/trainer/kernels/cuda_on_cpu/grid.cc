#include "tests/trainer/kernels/cuda_on_cpu/grid.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tests/trainer/kernels/cuda_on_cpu/fibre.h"

namespace carrack::cuda_on_cpu {
namespace {

Position current_position;
Order chosen_order = Order::forward;
std::mt19937_64 drawn;

std::vector<unsigned> numbers_in_order(unsigned count) {
  std::vector<unsigned> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  if (chosen_order == Order::backward) std::ranges::reverse(numbers);
  if (chosen_order == Order::drawn) std::ranges::shuffle(numbers, drawn);
  return numbers;
}

unsigned size_of(dim3 extents) {
  return extents.x * extents.y * extents.z;
}

dim3 index_of(unsigned number, dim3 extents) {
  return {number % extents.x, number / extents.x % extents.y, number / extents.x / extents.y};
}

std::string text_of(const Place& place) {
  return std::string(place.file_name()) + ":" + std::to_string(place.line()) + ", in " + place.function_name();
}

enum class State { ready, at_barrier, at_exchange, returned };

struct Thread {
  std::unique_ptr<Fibre> fibre;
  State state = State::ready;
  Place place = {};
  std::uint32_t mask = 0;
  std::uint64_t value = 0;
  LaneValues values = {};

  bool waits_with(const Thread& other) const {
    return state == other.state && mask == other.mask && place.line() == other.place.line() &&
           std::string_view(place.file_name()) == other.place.file_name();
  }
};

class Block {
 public:
  Block(const Grid& grid, const std::function<void()>& thread);

  // Empty, or the fault.
  std::string run(unsigned number);

  void wait(State state, std::uint32_t mask, std::uint64_t value, const Place& place);
  LaneValues exchange(std::uint32_t mask, std::uint64_t value, const Place& place);
  [[noreturn]] void fail(const std::string& what) const;

  unsigned current() const { return current_; }
  std::vector<std::byte>& shared() { return shared_; }

 private:
  void run_body(const std::function<void()>& thread);
  void resume(unsigned number);
  bool run_ready(const std::vector<unsigned>& order);
  bool all_wait_at_one_barrier() const;
  bool is_missing(const Thread& waiting, unsigned number) const;
  std::string name_of(unsigned number) const;
  std::string stuck() const;

  unsigned number_ = 0;   // of the block
  unsigned current_ = 0;  // the thread that runs
  std::string fault_;
  std::vector<std::byte> shared_;
  std::vector<Thread> threads_;
};

Block* running = nullptr;

Block::Block(const Grid& grid, const std::function<void()>& thread)
    : shared_(grid.shared_bytes), threads_(size_of(grid.threads)) {
  current_position = {grid.blocks, grid.threads, {}, {}};
  for (Thread& each : threads_) each.fibre = std::make_unique<Fibre>([this, &thread] { run_body(thread); });
}

// One thread of each block that runs.
void Block::run_body(const std::function<void()>& thread) {
  for (;;) {
    try {
      thread();
    } catch (const std::exception& error) {
      fault_ = error.what();
    }
    threads_[current_].state = State::returned;
    threads_[current_].fibre->pause();
  }
}

void Block::resume(unsigned number) {
  current_ = number;
  current_position.thread_index = index_of(number, current_position.block);
  threads_[number].fibre->resume();
}

// Whether any thread ran.
bool Block::run_ready(const std::vector<unsigned>& order) {
  bool any = false;
  for (const unsigned number : order) {
    if (threads_[number].state != State::ready) continue;
    any = true;
    resume(number);
    if (!fault_.empty()) return true;
  }
  return any;
}

bool Block::all_wait_at_one_barrier() const {
  return std::ranges::all_of(threads_, [&](const Thread& thread) {
    return thread.state == State::at_barrier && thread.waits_with(threads_.front());
  });
}

std::string Block::run(unsigned number) {
  number_ = number;
  current_position.block_index = index_of(number, current_position.grid);
  std::ranges::fill(shared_, std::byte{0xFF});  // NaN, so that what nobody wrote is seen
  for (Thread& thread : threads_) thread.state = State::ready;
  const std::vector<unsigned> order = numbers_in_order(static_cast<unsigned>(threads_.size()));
  while (run_ready(order)) {
    if (!fault_.empty()) return fault_;
    if (!all_wait_at_one_barrier()) continue;
    for (Thread& thread : threads_) thread.state = State::ready;
  }
  const bool all_returned =
      std::ranges::all_of(threads_, [](const Thread& thread) { return thread.state == State::returned; });
  return all_returned ? "" : stuck();
}

void Block::wait(State state, std::uint32_t mask, std::uint64_t value, const Place& place) {
  Thread& thread = threads_[current_];
  thread.state = state;
  thread.mask = mask;
  thread.value = value;
  thread.place = place;
  thread.fibre->pause();
}

LaneValues Block::exchange(std::uint32_t mask, std::uint64_t value, const Place& place) {
  const unsigned own = current_;
  const unsigned first = own - own % warp_size;
  if ((mask >> (own - first) & 1) == 0) fail("calls a function of its warp with a mask that lacks it");
  Thread& thread = threads_[own];
  thread.state = State::at_exchange;
  thread.mask = mask;
  thread.value = value;
  thread.place = place;
  LaneValues values = {};
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    if (is_missing(thread, first + lane)) {
      thread.fibre->pause();
      return thread.values;
    }
    values[lane] = threads_[first + lane].value;
  }
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    threads_[first + lane].values = values;
    threads_[first + lane].state = State::ready;
  }
  return values;
}

bool Block::is_missing(const Thread& waiting, unsigned number) const {
  return number >= threads_.size() || !threads_[number].waits_with(waiting);
}

std::string Block::name_of(unsigned number) const {
  return "thread " + std::to_string(number) + " of block " + std::to_string(number_);
}

void Block::fail(const std::string& what) const {
  throw std::runtime_error(name_of(current_) + " " + what);
}

// Names the first thread that waits, and the first one that it waits for.
std::string Block::stuck() const {
  const auto found =
      std::ranges::find_if(threads_, [](const Thread& thread) { return thread.state != State::returned; });
  const auto waiting = static_cast<unsigned>(found - threads_.begin());
  const bool at_barrier = found->state == State::at_barrier;
  unsigned missing = at_barrier ? 0 : waiting - waiting % warp_size;
  const auto is_awaited = [&](unsigned number) {
    return (at_barrier || (found->mask >> number % warp_size & 1) == 1) && is_missing(*found, number);
  };
  while (!is_awaited(missing)) ++missing;
  std::string message = name_of(waiting) + " waits " + (at_barrier ? "at a barrier" : "for the lanes of its mask") +
                        " (" + text_of(found->place) + ") that thread " + std::to_string(missing) + " does not reach: ";
  if (missing >= threads_.size()) return message + "the block has no such thread";
  const Thread& other = threads_[missing];
  if (other.state == State::returned) return message + "it has returned";
  return message + "it waits at " + text_of(other.place);
}

}  // namespace

void set_order(Order order, std::uint64_t seed) {
  chosen_order = order;
  drawn.seed(seed);
}

std::string run_grid(const Grid& grid, const std::function<void()>& thread) {
  Block block(grid, thread);
  running = &block;
  std::string fault;
  for (const unsigned number : numbers_in_order(size_of(grid.blocks))) {
    fault = block.run(number);
    if (!fault.empty()) break;
  }
  running = nullptr;
  return fault;
}

const Position& position() {
  return current_position;
}

void wait_for_block(const Place& place) {
  running->wait(State::at_barrier, 0, 0, place);
}

LaneValues exchange(std::uint32_t mask, std::uint64_t value, const Place& place) {
  return running->exchange(mask, value, place);
}

unsigned lane() {
  return running->current() % warp_size;
}

void fail(const std::string& what) {
  running->fail(what);
}

std::byte* shared_bytes() {
  return running->shared().data();
}

std::size_t shared_size_bytes() {
  return running->shared().size();
}

}  // namespace carrack::cuda_on_cpu
