// A fast path for records that differ only in their values: they have the same size, names, lengths and tags as an
// earlier record. All other bytes are compared with that record, and the values are read from the same offsets. Not
// thread-safe.
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
  // The bytes of one column in a record: floats, a string, or ints of one byte each. `fixed` is the bit that must be
  // the same in each byte: the continuation bit of ints.
  struct Item {
    std::size_t offset = 0;
    std::size_t size = 0;
    std::size_t column = 0;
    std::byte fixed = {};
  };

  // If the record has the learned layout, writes its values into `row` of each column and returns true; strings then
  // point into the record. The columns must have that row.
  bool fill(View record, std::size_t row, std::span<Column> columns) const;
  // Call it for each record that fill() refused and whose items are known. Returns true if learn() should be called for
  // that record. The number of calls between two records to learn doubles, so files without a common layout cost
  // little.
  bool is_to_learn(View record);
  // Replaces the learned layout by that of a record whose columns are at `items`, one for each column. If an int in
  // them takes more than one byte, no layout is learned, and fill() returns false until the next learn().
  void learn(View record, std::vector<Item> items);

 private:
  static constexpr std::size_t record_max_bytes = std::size_t{16} << 10;  // longer records gain little

  bool fits(View record) const;

  std::uint64_t missed_ = 0;      // calls of is_to_learn(), without those for long records
  std::uint64_t learns_at_ = 1;   // the number of missed records at which the next one is learned
  std::vector<std::byte> bytes_;  // of the learned record
  std::vector<std::byte> mask_;   // the bits of `bytes_` that other records must have too
  std::vector<Item> items_;       // empty: no layout is learned
};

}  // namespace carrack::data
