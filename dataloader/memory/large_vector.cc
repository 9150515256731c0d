#include "dataloader/memory/large_vector.h"

#include <bit>
#include <cstdint>
#include <map>
#include <mutex>

namespace carrack::data {
namespace {

constexpr std::size_t smallest = std::size_t{64} << 10;  // What is smaller the C library keeps well.
constexpr std::uint64_t most_idle_bytes = std::uint64_t{256} << 20;
constexpr std::align_val_t alignment{64};

// Sizes of a kind: eight between a power of two and the next, so that what is given back fits again.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

class Idle {
 public:
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = pieces_.find(bytes);
    if (found == pieces_.end() || found->second.empty()) return nullptr;
    void* memory = found->second.back();
    found->second.pop_back();
    bytes_ -= bytes;
    return memory;
  }
  bool keep(void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes_ + bytes > most_idle_bytes) return false;
    pieces_[bytes].push_back(memory);
    bytes_ += bytes;
    return true;
  }

 private:
  std::mutex mutex_;  // Guards all below.
  std::map<std::size_t, std::vector<void*>> pieces_;
  std::uint64_t bytes_ = 0;
};

// Never destroyed: vectors may outlive everything else.
Idle& idle() {
  static Idle& all = *new Idle;
  return all;
}

}  // namespace

void* take_memory(std::size_t bytes) {
  if (bytes < smallest) return ::operator new(bytes);
  const std::size_t size = rounded(bytes);
  if (void* memory = idle().take(size)) return memory;
  return ::operator new(size, alignment);
}

void give_memory_back(void* memory, std::size_t bytes) noexcept {
  if (bytes < smallest) {
    ::operator delete(memory);
    return;
  }
  try {
    if (idle().keep(memory, rounded(bytes))) return;
  } catch (const std::bad_alloc&) {  // There is no room to note it: it is freed.
  }
  ::operator delete(memory, alignment);
}

}  // namespace carrack::data
