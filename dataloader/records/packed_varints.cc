#include "dataloader/records/packed_varints.h"

#include <bit>
#include <optional>

#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

constexpr std::uint64_t high_bits = 0x8080808080808080;

// Returns the first eight of the `left` bytes at `at`, padded with zeros. `left` is at least 1.
std::uint64_t word_at(const std::byte* at, std::size_t left) {
  if (left >= 8) return number_at<std::uint64_t>(at);
  if (left >= 4) {
    const std::uint64_t last = number_at<std::uint32_t>(at + left - 4);
    return number_at<std::uint32_t>(at) | last << (8 * (left - 4));
  }
  // The indexes 0, left / 2 and left - 1 cover one, two or three bytes without a loop; some may be the same.
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint64_t>(at[i]) << (8 * i); };
  return byte(0) | byte(left / 2) | byte(left - 1);
}

// Joins the low seven bits of the eight bytes into a number of 56 bits. The upper bit of each byte is dropped.
std::uint64_t squeezed(std::uint64_t word) {
  word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
  word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
  return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
}

}  // namespace

std::size_t varints_in(std::span<const std::byte> packed) {
  std::size_t ends = 0;
  for (const std::byte byte : packed) ends += (byte & std::byte{0x80}) == std::byte{0};
  return ends;
}

bool decode_varints(std::span<const std::byte> packed, std::span<std::int64_t> into) {
  const std::byte* at = packed.data();
  const std::byte* const end = at + packed.size();
  std::size_t taken = 0;
  while (taken < into.size()) {
    const auto left = static_cast<std::size_t>(end - at);
    if (left == 0) return false;
    const std::uint64_t word = word_at(at, left);
    // A byte without its upper bit is the last of a varint. `size` is the size of the first varint in `word`.
    const std::uint64_t ends = ~word & high_bits;
    const auto size = static_cast<std::size_t>(std::countr_zero(ends) / 8 + 1);
    if (ends == high_bits && left >= 8 && into.size() - taken >= 8) {
      for (std::size_t byte = 0; byte < 8; ++byte)
        into[taken + byte] = static_cast<std::int64_t>(word >> (8 * byte) & 0x7f);
      at += 8;
      taken += 8;
    } else if (ends != 0 && size <= left) {
      into[taken++] = static_cast<std::int64_t>(squeezed(word & (ends ^ (ends - 1))));
      at += size;
    } else {
      std::span<const std::byte> rest(at, left);
      const std::optional<std::uint64_t> number = wire::take_varint(rest);
      if (!number) return false;
      into[taken++] = static_cast<std::int64_t>(*number);
      at = rest.data();
    }
  }
  return at == end;
}

}  // namespace carrack::data
