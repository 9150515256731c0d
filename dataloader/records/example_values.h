// Parses the values of one tf.Feature straight into the vector of a column. Pure functions.
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

// Writes values into a vector from `begin` on, and counts them; values beyond the first `most` are only counted. The
// vector grows by values that have been found, never by a claimed number.
template <typename Value>
class Into {
 public:
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  Into(LargeVector<Value>& values, std::size_t begin, std::size_t most) : values_(values), begin_(begin), most_(most) {}

  std::size_t count() const { return count_; }
  // Room for the next `size` values, or for fewer if there would be more than `most`.
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

// Inlines the copies of common sizes, for which a call would cost more than the copy.
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

enum class Outcome { good, unset, other_kind, two_kinds, no_numbers, malformed };

// The result of parsing a feature.
struct Parsed {
  Outcome outcome = Outcome::unset;
  std::uint32_t kind = 0;                    // field number of its list in tf.Feature
  std::span<const std::byte> at_fault = {};  // begins at the bad byte; data() is nullptr for the feature as a whole
};

// Consecutive lists of the same kind are one list, as in protobuf. With `raw`, the feature is a list of bytes.
Parsed read_values(std::span<const std::byte> feature, std::optional<Raw> raw, Into<std::string_view>& into);
Parsed read_values(std::span<const std::byte> feature, std::optional<Raw> raw, Into<float>& into);
Parsed read_values(std::span<const std::byte> feature, std::optional<Raw> raw, Into<std::int64_t>& into);

}  // namespace carrack::data
