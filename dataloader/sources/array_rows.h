// An array of numbers whose rows, along its first axis, lie behind each other in a file or in memory: those of any
// range as a column. Reading changes nothing in it, so several threads may read one array at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/records/example.h"

namespace carrack::data {

struct ArrayType {
  // Of numpy's names: bool is a byte that is 0 or not.
  enum class Number : std::uint8_t {
    boolean,
    uint8,
    int8,
    uint16,
    int16,
    uint32,
    int32,
    uint64,
    int64,
    float16,
    float32,
    float64
  };
  Number number = Number::float32;
  bool is_big_endian = false;
  bool operator==(const ArrayType&) const = default;
};

const char* name_of(ArrayType::Number number);
std::size_t size_of(ArrayType::Number number);
bool is_whole(ArrayType::Number number);

class ArrayRows {
 public:
  // From `offset` on the source holds all of an array of this shape, which has an axis, the last one closest.
  ArrayRows(std::unique_ptr<const ByteSource> source, std::uint64_t offset, ArrayType type,
            std::vector<std::uint64_t> shape);

  const ArrayType& type() const { return type_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  std::uint64_t rows() const { return shape_[0]; }
  // Of values in a row.
  std::size_t count() const { return count_; }

  // Items of count() values: float32, each to the nearest, or int64 from whole numbers. Throws an Error where there are
  // no such rows, or the array has no such values.
  std::variant<Column, Corrupt> read(std::uint64_t first, std::size_t rows, Dtype dtype) const;

 private:
  template <typename Value>
  std::variant<Column, Corrupt> read_values(std::uint64_t first, std::size_t rows) const;
  Corrupt corrupt(Fault fault, std::uint64_t value, std::string what) const;

  std::unique_ptr<const ByteSource> source_;
  std::uint64_t offset_;
  ArrayType type_;
  std::vector<std::uint64_t> shape_;
  std::size_t count_ = 1;
};

}  // namespace carrack::data
