// Quantiles of any number of values in little memory, in one pass: exact up to some thousands of values, and from then
// on with a known bound of their error. Parts that saw parts of the values can be merged. The same values in the same
// order give the same answers; nothing is random.
//
// Values lie in levels, a value of level n standing for 2^n. A full level is sorted and every second value of it moves
// up: which shifts the rank of any value by no more than the weight of one, and the sum of these is the bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carrack::data::cli {

// Of double or std::int64_t.
template <typename Value>
class Quantiles {
 public:
  static constexpr std::size_t level_size = 2048;

  void add(Value value);
  void merge(const Quantiles& other);

  std::uint64_t count() const { return count_; }
  // How far off, at most, the rank of an answer is: that many of count(). None: all answers are exact.
  std::uint64_t error() const { return error_; }

 private:
  template <typename>
  friend class Distribution;
  struct Level {
    std::vector<Value> values;
    bool takes_odd = false;  // Turn by turn, so that shifts cancel.
  };
  void compress();

  std::vector<Level> levels_;
  std::uint64_t count_ = 0;
  std::uint64_t error_ = 0;
};

// What can be asked of quantiles.
template <typename Value>
class Distribution {
 public:
  explicit Distribution(const Quantiles<Value>& quantiles);

  // The smallest value that has at least this share of all at or below it. Of no values it is 0.
  Value at(double share) const;
  std::uint64_t at_or_below(Value value) const;

 private:
  struct Step {
    Value value;
    std::uint64_t rank;  // Of the last value that it stands for, from 1.
  };
  std::vector<Step> steps_;
};

}  // namespace carrack::data::cli
