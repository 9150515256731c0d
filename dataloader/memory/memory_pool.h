// Memory that is used again: fresh pages have to be found and cleared by the kernel, which takes longer than to fill
// them. What is given back is kept, up to a bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace carrack::data {

class MemoryPool {
 public:
  explicit MemoryPool(std::uint64_t most_idle_bytes);

  // Uninitialised. It comes back when its last owner lets it go, also after the pool has ended.
  std::shared_ptr<std::byte[]> take(std::size_t size) const;

 private:
  struct Idle;
  std::shared_ptr<Idle> idle_;
};

}  // namespace carrack::data
