// Records of a file often differ in their numbers alone: they are equally long, with the same names, lengths and tags.
// Of such a record nothing is taken apart: what is no number is held against an earlier record, and the numbers lie
// where they lay there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataloader/records/example.h"

namespace carrack::data {

class RepeatedLayoutParser {
 public:
  using View = std::span<const std::byte>;
  // What a record has for one column: floats, a string, or ints of a byte each. Its bytes change nothing of what the
  // rest of the record means, as long as ints stay of a byte each, which is the bit `fixed` of it.
  struct Item {
    std::size_t offset = 0;
    std::size_t size = 0;
    std::size_t column = 0;
    std::byte fixed = {};
  };

  // Whether the record is as the one that was learned; then `row` of each column has its values.
  bool fill(View record, std::size_t row, std::span<Column> columns) const;
  // Whether to learn this record, which was not. Ever fewer are learned, so that those that are never alike cost
  // little.
  bool is_to_learn(View record);
  // A record that has these items, and for no column anything else.
  void learn(View record, std::vector<Item> items);

 private:
  static constexpr std::size_t most_bytes = std::size_t{16} << 10;  // Longer ones are mostly numbers in few items.

  bool fits(View record) const;

  std::uint64_t missed_ = 0;      // records
  std::uint64_t learns_at_ = 1;   // of them
  std::vector<std::byte> bytes_;  // of the record
  std::vector<std::byte> mask_;   // what of them is the same in others
  std::vector<Item> items_;
};

}  // namespace carrack::data
