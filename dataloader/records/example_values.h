// Parses the values of one serialized tf.Feature and writes them into a vector, such as Column::values.
// ExampleWalker uses it for each feature of a record, and ExampleParser for those that its fast paths cannot read.
// JsonLinesReader uses ValueWriter. The functions keep no state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "dataloader/records/example.h"

namespace carrack::data {

// Writes values into a vector from index `begin` on, and counts them. Values after the first `most` are counted and not
// written, so the caller sees in count() that there were too many. The vector grows as values are written. It must
// outlive this object.
template <typename Value>
class ValueWriter {
 public:
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();  // for `most`: no limit

  ValueWriter(LargeVector<Value>& values, std::size_t begin, std::size_t most)
      : values_(values), begin_(begin), most_(most) {}

  // The number of values so far, with those that were not written.
  std::size_t count() const { return count_; }
  // Counts `size` values and returns the part of the vector for them, which the caller must fill. The part is shorter
  // than `size`, or empty, if there would be more than `most` values. It is valid until the next call.
  std::span<Value> next(std::size_t size) {
    const std::size_t had = std::min(count_, most_);
    const std::size_t taken = std::min(size, most_ - had);
    count_ += size;
    const std::size_t at = begin_ + had;
    if (at + taken > values_.size()) values_.resize(at + taken, Value());
    return {values_.data() + at, taken};
  }
  void add(Value value) {
    for (Value& place : next(1)) place = value;
  }

 private:
  LargeVector<Value>& values_;
  std::size_t begin_;
  std::size_t most_;
  std::size_t count_ = 0;
};

// Copies the bytes of little-endian floats to `to`, which must have room for all of `from`. The same as memcpy(), but
// faster for 1, 4, 8 and 16 floats.
inline void copy_floats(std::span<const std::byte> from, float* to) {
  switch (from.size()) {
    case 4:
      std::memcpy(to, from.data(), 4);
      break;
    case 16:
      std::memcpy(to, from.data(), 16);
      break;
    case 32:
      std::memcpy(to, from.data(), 32);
      break;
    case 64:
      std::memcpy(to, from.data(), 64);
      break;
    default:
      std::memcpy(to, from.data(), from.size());
  }
}

// good: all values were read; their number is not checked. unset: the feature has no list of values. other_kind: its
// list is of another type than requested. two_kinds: it has lists of two types. no_numbers: the size of its bytes is
// not a multiple of the size of a raw number. malformed: it is not valid protobuf.
enum class Outcome { good, unset, other_kind, two_kinds, no_numbers, malformed };

// The result of parsing a feature.
struct Parsed {
  Outcome outcome = Outcome::unset;
  std::uint32_t kind = 0;                    // the field number of its list in tf.Feature; 0 if it has no list
  std::span<const std::byte> at_fault = {};  // the bytes from the bad field on; data() is nullptr if none is bad
};

// Parses a serialized tf.Feature and adds its values to `into`. Strings point into `feature`. Several lists of the same
// type count as one list, as in protobuf. With `raw`, the feature must be a list of bytes that consist of such numbers;
// for strings `raw` is ignored. If the outcome is not good, some of the values may have been added.
Parsed read_values(std::span<const std::byte> feature, std::optional<Raw> raw, ValueWriter<std::string_view>& into);
Parsed read_values(std::span<const std::byte> feature, std::optional<Raw> raw, ValueWriter<float>& into);
Parsed read_values(std::span<const std::byte> feature, std::optional<Raw> raw, ValueWriter<std::int64_t>& into);

}  // namespace carrack::data
