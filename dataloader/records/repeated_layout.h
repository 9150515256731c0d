// RepeatedLayoutParser: a shortcut of ExampleParser for files in which all tf.Examples have the same layout: the same
// size, names, lengths and tags, and only the values differ. It learns the layout from one record. For another record
// it compares all bytes that are not values, and if they match, it copies the values from the known offsets without
// parsing protobuf. Only for columns of Shape::item. Not thread-safe.
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
  // The bytes of one column in a record: floats, a string, or ints of one byte each.
  struct Item {
    std::size_t offset = 0;  // in the record
    std::size_t size = 0;    // in bytes
    std::size_t column = 0;  // index of the column
    std::byte fixed = {};    // the bit that must be 0 in each byte: 0x80 for ints (their continuation bit), else 0
  };

  // If the record has the learned layout, writes its values into row `row` of each column and returns true; strings
  // then point into the record. Otherwise returns false and writes nothing, and the caller must parse the record. The
  // columns must have that row.
  bool fill(View record, std::size_t row, std::span<Column> columns) const;
  // Call it once for each record for which fill() returned false and each of whose columns has all its values in one
  // place, as Item describes; ints may be longer than a byte. Returns true if the caller should call learn() for that
  // record. The number of calls from one such record to the next doubles, so that files without a common layout cost
  // little.
  bool should_learn(View record);
  // Replaces the learned layout by the layout of `record`. `items` says where it has the values of each column. If an
  // int takes more than one byte, no layout is learned, and fill() returns false until the next learn().
  void learn(View record, std::vector<Item> items);

 private:
  static constexpr std::size_t record_max_bytes = std::size_t{16} << 10;  // for longer records it would gain little

  bool fits(View record) const;

  std::uint64_t missed_ = 0;      // calls of should_learn(), without those for long records
  std::uint64_t learns_at_ = 1;   // the value of missed_ at which the next record is learned
  std::vector<std::byte> bytes_;  // the learned record
  std::vector<std::byte> mask_;   // has ones for the bits of bytes_ that other records must have, too
  std::vector<Item> items_;       // empty: no layout is learned
};

}  // namespace carrack::data
