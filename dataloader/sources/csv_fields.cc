#include "dataloader/sources/csv_fields.h"

#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>

namespace carrack::data {
namespace {

constexpr std::size_t block_size = 64;

// Bit i of the result is 1 if the number of ones among the bits 0 to i is odd. If `ones` has the quotes of a block, the
// result thus has ones for the bytes within quotes.
std::uint64_t parities(std::uint64_t ones) {
  for (int shift = 1; shift < 64; shift *= 2) ones ^= ones << shift;
  return ones;
}

struct Block {
  __m128i bytes[block_size / sizeof(__m128i)];
};

// Bit i of the result is 1 if byte i of the block is `value`.
std::uint64_t bits_where(const Block& block, char value) {
  const __m128i all = _mm_set1_epi8(value);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < std::size(block.bytes); ++i) {
    const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(block.bytes[i], all));
    bits |= static_cast<std::uint64_t>(static_cast<unsigned>(found)) << (16 * i);
  }
  return bits;
}

}  // namespace

// Each member has a bit for each byte of a block: 1 if the byte is a quote, a delimiter, \n or \r.
struct CsvFields::Masks {
  std::uint64_t quotes, delimiters, newlines, returns;
};

CsvFields::Masks CsvFields::masks_of(const std::byte* block) const {
  Block bytes;
  std::memcpy(&bytes, block, block_size);
  return {bits_where(bytes, '"'), bits_where(bytes, delimiter_), bits_where(bytes, '\n'), bits_where(bytes, '\r')};
}

void CsvFields::begin() {
  at_ = count_ = 0;
  is_through_ = misquoted_ = has_doubled_ = false;
  separates_ = 1;
  closes_ = returns_ = inside_ = 0;
  rows_.clear();
  next_ = {};
}

void CsvFields::find(std::span<const std::byte> bytes, std::size_t rows, Following following) {
  for (; rows_.size() < rows && !misquoted_; at_ += block_size) {
    const std::span<const std::byte> left = bytes.subspan(std::min(at_, bytes.size()));
    if (left.size() >= block_size) {
      take(left.data(), ~std::uint64_t{0});
      continue;
    }
    if (following == Following::more || is_through_) return;
    // The last bytes are less than a block, so they are padded. If the file ends here, a newline is added to end its
    // last row.
    is_through_ = true;
    std::array<std::byte, block_size> last = {};
    std::ranges::copy(left, last.begin());
    const std::uint64_t after_them = std::uint64_t{1} << left.size();
    if (following == Following::end) last[left.size()] = std::byte{'\n'};
    take(last.data(), following == Following::end ? after_them | (after_them - 1) : after_them - 1);
    // If the file ends with a newline, the newline that was added above has made an empty row after it.
    if (!rows_.empty() && rows_.back().begin == bytes.size()) rows_.pop_back();
  }
}

// Scans a block. `valid` has a bit for each byte of the block that belongs to the text.
void CsvFields::take(const std::byte* block, std::uint64_t valid) {
  const Masks masks = masks_of(block);
  const bool is_plain = (masks.quotes | inside_ | closes_ | returns_) == 0;
  const std::uint64_t separators = is_plain ? (masks.delimiters | masks.newlines) & valid : separators_of(masks, valid);
  if (is_plain) separates_ = separators >> 63;
  append(separators, masks.newlines & separators);
}

// Returns the separators (delimiters and newlines) outside of quotes. If a quote is misplaced, returns only those
// before it. Also updates the state for the next block. A quote may open at the beginning of a field, or directly after
// a closing quote: such a doubled quote means one quote in the text. After a closing quote only a separator, another
// quote or \r\n may follow.
std::uint64_t CsvFields::separators_of(const Masks& masks, std::uint64_t valid) {
  const std::uint64_t inside = parities(masks.quotes) ^ inside_;
  const std::uint64_t opening = masks.quotes & inside;
  const std::uint64_t closing = masks.quotes & ~inside;
  const std::uint64_t separators = (masks.delimiters | masks.newlines) & ~inside & valid;
  const std::uint64_t after_separator = separators << 1 | separates_;
  const std::uint64_t after_closing = closing << 1 | closes_;
  const std::uint64_t closing_returns = after_closing & masks.returns;
  const std::uint64_t after_return = closing_returns << 1 | returns_;
  const std::uint64_t misplaced =
      valid & ((opening & ~(after_separator | after_closing)) |
               (after_closing & ~(separators | masks.quotes | masks.returns)) | (after_return & ~masks.newlines));
  has_doubled_ = has_doubled_ || (opening & after_closing) != 0;
  inside_ = 0 - (inside >> 63);
  separates_ = separators >> 63;
  closes_ = closing >> 63;
  returns_ = closing_returns >> 63;
  misquoted_ = misplaced != 0;
  return misquoted_ ? separators & ((misplaced & (0 - misplaced)) - 1) : separators;
}

// Appends the ends of the fields to ends_, and a row to rows_ for each newline.
void CsvFields::append(std::uint64_t separators, std::uint64_t newlines) {
  if (ends_.size() < count_ + block_size) ends_.resize(2 * ends_.size() + block_size);
  const auto base = static_cast<std::uint32_t>(at_);
  std::uint32_t* end = ends_.data() + count_;
  for (std::uint64_t left = separators; left != 0; left &= left - 1)
    *end++ = base + static_cast<std::uint32_t>(std::countr_zero(left));
  for (; newlines != 0; newlines &= newlines - 1) {
    const std::uint64_t before = separators & ((newlines & (0 - newlines)) - 1);
    const auto last = static_cast<std::uint32_t>(count_) + static_cast<std::uint32_t>(std::popcount(before));
    next_.fields = last + 1 - next_.first;
    rows_.push_back(next_);
    next_ = {ends_[last] + 1, last + 1, 0};
  }
  count_ = static_cast<std::size_t>(end - ends_.data());
}

MisquotedRow examine_row(std::span<const std::byte> bytes, char delimiter) {
  enum { start, plain, quoted, closed } state = start;
  MisquotedRow row;
  row.size = bytes.size();
  std::size_t begin = 0, field = 0;
  const auto found = [&](MisquotedRow::Fault fault) {
    if (row.fault) return;
    row.fault = fault;
    row.at = begin;
    row.field = field;
  };
  const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<char>(bytes[i]) : '\n'; };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = at(i);
    if (state == quoted) {
      if (c == '"') state = closed;
    } else if (c == '\n') {
      row.has_newline = true;
      row.size = i + 1;
      return row;
    } else if (c == delimiter) {
      state = start;
      begin = i + 1;
      ++field;
    } else if (c == '"') {
      if (state == plain) found(MisquotedRow::Fault::quote_within);
      if (state != plain) state = quoted;
    } else if (state != closed) {
      state = plain;
    } else if (c != '\r' || at(i + 1) != '\n') {
      found(MisquotedRow::Fault::text_after_quote);
      state = plain;
    }
  }
  if (state == quoted) found(MisquotedRow::Fault::not_closed);
  return row;
}

}  // namespace carrack::data
