#include "trainer/comm/protocol/piece.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "dataloader/check.h"

namespace carrack::train {
namespace {

// `from` points to the bytes of to.size() floats. It need not be aligned.
void copy_floats(const std::byte* from, std::span<float> to) {
  std::memcpy(to.data(), from, to.size_bytes());
}

void add_floats(const std::byte* from, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    float value = 0;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    to[i] += value;
  }
}

}  // namespace

Piece::Piece(Tail whole) : end_(whole.values().size()), total_(end_), whole_(std::move(whole)) {}

Piece::Piece(std::size_t begin, std::size_t total, std::vector<Block> blocks, std::shared_ptr<const void> owner)
    : begin_(begin), total_(total), blocks_(std::move(blocks)), owner_(std::move(owner)) {
  std::size_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.size();
  CHECK_EQ(bytes % sizeof(float), 0u);
  end_ = begin_ + bytes / sizeof(float);
  CHECK_LE(end_, total_);
}

// Calls `use(bytes, at, count)` for one stretch of values after the other. `bytes` are the bytes of `count` values, and
// `at` is the number of the first of them, counted from `begin`. If the bytes of a value are in two or more blocks,
// they are copied to one place first, and the value is passed alone.
template <class Use>
void Piece::visit(std::size_t begin, std::size_t size, const Use& use) const {
  CHECK_LE(begin_, begin);
  CHECK_LE(begin + size, end_);
  const Block whole = std::as_bytes(whole_.values());
  const std::span<const Block> blocks = blocks_.empty() ? std::span(&whole, 1) : std::span(blocks_);
  std::size_t skipped = (begin - begin_) * sizeof(float);  // bytes to skip before the first value
  std::array<std::byte, sizeof(float)> cut{};              // a value whose bytes are in several blocks
  std::size_t in_cut = 0;
  std::size_t at = 0;
  for (Block block : blocks) {
    const std::size_t before = std::min(skipped, block.size());
    skipped -= before;
    block = block.subspan(before);
    if (in_cut > 0) {
      const std::size_t more = std::min(cut.size() - in_cut, block.size());
      std::copy_n(block.begin(), more, cut.begin() + static_cast<std::ptrdiff_t>(in_cut));
      in_cut += more;
      block = block.subspan(more);
      if (in_cut < cut.size()) continue;
      in_cut = 0;
      use(cut.data(), at, 1);
      ++at;
    }
    const std::size_t count = std::min(block.size() / sizeof(float), size - at);
    if (count > 0) use(block.data(), at, count);
    at += count;
    if (at == size) return;
    block = block.subspan(count * sizeof(float));
    std::ranges::copy(block, cut.begin());
    in_cut = block.size();
  }
  CHECK_EQ(at, size);
}

void Piece::copy(std::size_t begin, std::span<float> to) const {
  visit(begin, to.size(),
        [&](const std::byte* bytes, std::size_t at, std::size_t count) { copy_floats(bytes, to.subspan(at, count)); });
}

void Piece::add(std::size_t begin, std::span<float> to) const {
  visit(begin, to.size(),
        [&](const std::byte* bytes, std::size_t at, std::size_t count) { add_floats(bytes, to.subspan(at, count)); });
}

Tail Piece::take_whole() && {
  CHECK(is_whole());
  if (!whole_.values().empty()) return std::exchange(whole_, {});
  Floats values(total_);
  copy(0, values);
  return Tail(std::move(values));
}

std::optional<Tail> TailAssembly::add(Piece piece) {
  if (piece.is_whole()) {
    end_ = 0;
    values_ = Floats();
    return std::move(piece).take_whole();
  }
  if (piece.begin() == 0) {
    values_.clear();
    values_.resize(piece.total());
  } else if (piece.begin() != end_ || piece.total() != values_.size()) {
    return std::nullopt;
  }
  end_ = piece.end();
  piece.copy(piece.begin(), std::span(values_).subspan(piece.begin(), end_ - piece.begin()));
  if (!piece.is_last()) return std::nullopt;
  end_ = 0;
  return Tail(std::exchange(values_, {}));
}

}  // namespace carrack::train
