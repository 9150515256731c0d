#include "dataloader/memory/equal_pieces.h"

#include <sanitizer/asan_interface.h>

#include <new>
#include <utility>
#include <vector>

#include "dataloader/machine/heap.h"
#include "dataloader/memory/recycled.h"
#include "dataloader/mutex.h"

namespace carrack::data {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
constexpr std::align_val_t alignment{huge_page_bytes};

struct Free {
  void operator()(std::byte* page) const {
    ASAN_UNPOISON_MEMORY_REGION(page, huge_page_bytes);
    ::operator delete(page, alignment);
  }
};

}  // namespace

struct EqualPieces::Shared {
  explicit Shared(std::size_t bytes) : piece_bytes(bytes) {}

  const std::size_t piece_bytes;
  Mutex mutex;
  std::vector<std::unique_ptr<std::byte, Free>> pages GUARDED_BY(mutex);
  // The pieces that are not in use. The vector has capacity for all pieces, so give_back() never allocates or throws.
  std::vector<std::byte*> idle GUARDED_BY(mutex);

  std::byte* take() {
    const MutexLock lock(mutex);
    if (idle.empty()) add_page();
    std::byte* const piece = idle.back();
    idle.pop_back();
    ASAN_UNPOISON_MEMORY_REGION(piece, piece_bytes);
    return piece;
  }
  void give_back(std::byte* piece) {
    const MutexLock lock(mutex);
    ASAN_POISON_MEMORY_REGION(piece, piece_bytes);
    idle.push_back(piece);
  }

 private:
  void add_page() REQUIRES(mutex) {
    const std::size_t pieces = huge_page_bytes / piece_bytes;
    idle.reserve((pages.size() + 1) * pieces);
    std::unique_ptr<std::byte, Free> fresh(static_cast<std::byte*>(::operator new(huge_page_bytes, alignment)));
    std::byte* const page = fresh.get();
    pages.push_back(std::move(fresh));
    use_huge_pages({page, huge_page_bytes});
    ASAN_POISON_MEMORY_REGION(page, huge_page_bytes);
    for (std::size_t i = pieces; i > 0; --i) idle.push_back(page + (i - 1) * piece_bytes);
  }
};

EqualPieces::EqualPieces(std::size_t piece_bytes) : shared_(std::make_shared<Shared>(piece_bytes)) {}

std::shared_ptr<std::byte[]> EqualPieces::take() const {
  if (shared_->piece_bytes >= huge_page_bytes) return pooled_buffer(shared_->piece_bytes);
  return {shared_->take(), [shared = shared_](std::byte* piece) { shared->give_back(piece); }};
}

}  // namespace carrack::data
