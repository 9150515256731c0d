// An array of numbers in a file or in memory, read by rows along its first axis. Safe to read from several threads.
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
  // numpy's types. A boolean is a byte that is 0 or not.
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
  // The source must hold the whole array from `offset` on, in C order. `shape` has at least one axis.
  ArrayRows(std::unique_ptr<const ByteSource> source, std::uint64_t offset, ArrayType type,
            std::vector<std::uint64_t> shape);

  const ArrayType& type() const { return type_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  std::uint64_t rows() const { return shape_[0]; }
  // Values in a row.
  std::size_t count() const { return count_; }

  // The rows as items of count() values: float32, rounded, or int64 from whole numbers. Corrupt if the file has changed
  // or a uint64 is too large for int64. Throws an Error for rows that do not exist, or another dtype.
  std::variant<Column, Corrupt> read(std::uint64_t first, std::size_t rows, Dtype dtype) const;

 private:
  template <typename Value>
  std::variant<Column, Corrupt> read_values(std::uint64_t first, std::size_t rows) const;
  Corrupt corrupt(Fault fault, std::uint64_t value, std::string message) const;

  std::unique_ptr<const ByteSource> source_;
  std::uint64_t offset_;
  ArrayType type_;
  std::vector<std::uint64_t> shape_;
  std::size_t count_ = 1;
};

}  // namespace carrack::data
