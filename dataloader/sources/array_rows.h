// ArrayRows: reads rows of a numpy array from a file, or from memory. A row is what one index of the first axis
// selects: an array of shape (60000, 28, 28) has 60,000 rows of 784 values. open_npy() and Npz make ArrayRows of .npy
// and .npz files. Safe to read from several threads.
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
  // The types of numpy that can be read. A boolean is one byte, false if it is 0.
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
// The size of one number in bytes, from 1 to 8.
std::size_t size_of(ArrayType::Number number);
// True for booleans and the integer types.
bool is_whole(ArrayType::Number number);

class ArrayRows {
 public:
  // `source`, which this object owns, must have the whole array from byte `offset` on, in C order; this is not checked.
  // `shape` has at least one axis.
  ArrayRows(std::unique_ptr<const ByteSource> source, std::uint64_t offset, ArrayType type,
            std::vector<std::uint64_t> shape);

  const ArrayType& type() const { return type_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  std::uint64_t rows() const { return shape_[0]; }
  // The number of values in a row: the product of the other axes.
  std::size_t count() const { return count_; }

  // Reads `rows` rows from row `first` on, and returns a copy of them as a column of items of count() values. They are
  // converted to `dtype`: to float32 with rounding, or to int64 if is_whole(type().number). Returns Corrupt if the file
  // has changed, or a uint64 is too large for int64. Throws Error for rows that do not exist, for another dtype (bytes,
  // or int64 of floats), and if the storage fails.
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
