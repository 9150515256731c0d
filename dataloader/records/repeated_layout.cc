#include "dataloader/records/repeated_layout.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "dataloader/records/example_values.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

using View = RepeatedLayoutParser::View;

// True if `a` and `b` differ in any bit that is set in `mask`. The loop has no branches, so compilers vectorize it.
bool differ(const std::byte* a, const std::byte* b, const std::byte* mask, std::size_t size) {
  std::byte differing{};
  for (std::size_t i = 0; i < size; ++i) differing |= (a[i] ^ b[i]) & mask[i];
  return differing != std::byte{};
}

// Writes the values of one column, which a record has in the bytes `item`, into row `row` of the column.
void put(View item, std::size_t row, LargeVector<float>& values) {
  copy_floats(item, values.data() + row * (item.size() / sizeof(float)));
}
void put(View item, std::size_t row, LargeVector<std::int64_t>& values) {
  std::int64_t* const into = values.data() + row * item.size();
  for (std::size_t i = 0; i < item.size(); ++i) into[i] = std::to_integer<std::int64_t>(item[i]);
}
void put(View item, std::size_t row, LargeVector<std::string_view>& values) {
  values[row] = wire::text_of(item);
}

}  // namespace

bool RepeatedLayoutParser::fill(View record, std::size_t row, std::span<Column> columns) const {
  if (!fits(record)) return false;
  for (const Item& item : items_)
    std::visit([&](auto& values) { put(record.subspan(item.offset, item.size), row, values); },
               columns[item.column].values);
  return true;
}

bool RepeatedLayoutParser::fits(View record) const {
  constexpr std::size_t stretch = 256;  // how many bytes to compare before each test for a difference
  if (items_.empty() || record.size() != bytes_.size()) return false;
  std::size_t at = 0;
  for (; record.size() - at >= stretch; at += stretch)
    if (differ(record.data() + at, bytes_.data() + at, mask_.data() + at, stretch)) return false;
  return !differ(record.data() + at, bytes_.data() + at, mask_.data() + at, record.size() - at);
}

bool RepeatedLayoutParser::should_learn(View record) {
  if (record.size() > record_max_bytes || ++missed_ < learns_at_) return false;
  learns_at_ *= 2;
  return true;
}

void RepeatedLayoutParser::learn(View record, std::vector<Item> items) {
  bytes_.assign(record.begin(), record.end());
  mask_.assign(record.size(), std::byte{0xff});
  items_ = std::move(items);
  for (const Item& item : items_) {
    std::fill_n(mask_.begin() + static_cast<std::ptrdiff_t>(item.offset), item.size, item.fixed);
    const auto is_longer = [&](std::byte one) { return (one & item.fixed) != std::byte{}; };
    if (std::ranges::any_of(record.subspan(item.offset, item.size), is_longer)) return items_.clear();
  }
}

}  // namespace carrack::data
