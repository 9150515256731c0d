#include "dataloader/sources/array_rows.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/raw_numbers.h"

namespace carrack::data {
namespace {

using Number = ArrayType::Number;

struct Kind {
  const char* name;
  std::size_t size;
  std::optional<Raw> raw;  // the same type for decode_numbers(); nullopt if decode_numbers() does not support it
};

// All kinds, in the order of the enum Number.
constexpr std::array<Kind, 12> kinds = {{{"bool", 1, {}},
                                         {"uint8", 1, Raw::uint8},
                                         {"int8", 1, Raw::int8},
                                         {"uint16", 2, Raw::uint16},
                                         {"int16", 2, Raw::int16},
                                         {"uint32", 4, Raw::uint32},
                                         {"int32", 4, Raw::int32},
                                         {"uint64", 8, {}},
                                         {"int64", 8, Raw::int64},
                                         {"float16", 2, Raw::float16},
                                         {"float32", 4, Raw::float32},
                                         {"float64", 8, Raw::float64}}};

const Kind& kind_of(Number number) {
  return kinds[static_cast<std::size_t>(number)];
}

// Reverses the order of the bytes in each number. `size` is the size of a number.
void reverse_bytes(std::span<std::byte> numbers, std::size_t size) {
  for (std::size_t i = 0; size > 1 && i < numbers.size(); i += size)
    std::reverse(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                 numbers.begin() + static_cast<std::ptrdiff_t>(i + size));
}

// Converts numbers into `into` until one does not fit in a Value. Returns how many were converted.
template <typename Value>
std::size_t take(Number number, std::span<const std::byte> bytes, std::span<Value> into) {
  if (kind_of(number).raw) {
    decode_numbers(bytes, *kind_of(number).raw, into);
    return into.size();
  }
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (number == Number::boolean) {
      into[i] = bytes[i] != std::byte{0} ? 1 : 0;
      continue;
    }
    const auto value = number_at<std::uint64_t>(bytes.data() + i * sizeof(std::uint64_t));
    if (std::is_same_v<Value, std::int64_t> && value >> 63 != 0) return i;
    into[i] = static_cast<Value>(value);
  }
  return into.size();
}

// True if the numbers are stored like a Value, so that they can be read straight into the column.
template <typename Value>
bool is_same(const ArrayType& type) {
  return !type.is_big_endian && type.number == (std::is_same_v<Value, float> ? Number::float32 : Number::int64);
}

}  // namespace

const char* name_of(Number number) {
  return kind_of(number).name;
}

std::size_t size_of(Number number) {
  return kind_of(number).size;
}

bool is_whole(Number number) {
  return number < Number::float16;
}

ArrayRows::ArrayRows(std::unique_ptr<const ByteSource> source, std::uint64_t offset, ArrayType type,
                     std::vector<std::uint64_t> shape)
    : source_(std::move(source)), offset_(offset), type_(type), shape_(std::move(shape)) {
  for (std::size_t axis = 1; axis < shape_.size(); ++axis) count_ *= shape_[axis];
}

std::variant<Column, Corrupt> ArrayRows::read(std::uint64_t first, std::size_t rows, Dtype dtype) const {
  if (first > this->rows() || rows > this->rows() - first)
    throw Error(source_->name() + ": it has " + std::to_string(this->rows()) + " rows, and rows " +
                std::to_string(first) + " to " + std::to_string(first + rows) + " are needed");
  if (dtype == Dtype::float32) return read_values<float>(first, rows);
  if (dtype == Dtype::int64 && is_whole(type_.number)) return read_values<std::int64_t>(first, rows);
  throw Error(source_->name() + ": it holds " + data::name_of(type_.number) + " numbers, and " + data::name_of(dtype) +
              " was asked for");
}

template <typename Value>
std::variant<Column, Corrupt> ArrayRows::read_values(std::uint64_t first, std::size_t rows) const {
  constexpr std::size_t piece = std::size_t{32} << 10;  // how many numbers are converted at a time
  const std::size_t size = size_of(type_.number);
  LargeVector<Value> values(rows * count_);
  // Numbers that must be converted are first read into `memory`. If it is empty, they are read straight into `values`.
  Bytes memory(is_same<Value>(type_) ? 0 : std::min(piece, values.size()) * size);
  for (std::size_t done = 0; done < values.size();) {
    const std::size_t numbers = memory.empty() ? values.size() : std::min(piece, values.size() - done);
    const std::span<Value> into = std::span(values).subspan(done, numbers);
    const std::span<std::byte> bytes =
        memory.empty() ? std::as_writable_bytes(into) : std::span(memory).first(numbers * size);
    const std::uint64_t at = first * count_ + done;
    if (source_->read_at(offset_ + at * size, bytes) != ReadResult::complete)
      return corrupt(Fault::changed, at, fault_text(Fault::changed));
    if (!memory.empty()) {
      if (type_.is_big_endian) reverse_bytes(bytes, size);
      const std::size_t taken = take(type_.number, bytes, into);
      if (taken < numbers) return corrupt(Fault::bad_row, at + taken, "it holds a uint64 that no int64 holds");
    }
    done += numbers;
  }
  return Column{std::move(values)};
}

// `value` is the index of the value at fault, counted over the whole array.
Corrupt ArrayRows::corrupt(Fault fault, std::uint64_t value, std::string message) const {
  const std::size_t size = size_of(type_.number);
  return {fault,         source_->name(),    value / count_, offset_ + value * size,
          count_ * size, std::move(message), false,          "row"};
}

}  // namespace carrack::data
