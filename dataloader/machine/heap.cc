#include "dataloader/machine/heap.h"

#include <malloc.h>
#include <sys/mman.h>

#include <memory>

namespace carrack::data {

void use_one_heap() {
  constexpr int freed_bytes = 16 << 20;
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, freed_bytes);
}

void use_huge_pages(std::span<std::byte> memory) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  void* begin = memory.data();
  std::size_t size = memory.size();
  if (std::align(huge_page, huge_page, begin, size) == nullptr) return;
  // The result is ignored: without huge pages everything works, but takes longer.
  ::madvise(begin, size - size % huge_page, MADV_HUGEPAGE);
}

}  // namespace carrack::data
