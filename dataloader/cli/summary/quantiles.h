// Approximate quantiles of numbers, in one pass; memory grows with the logarithm of how many there are. The quantiles
// are exact for up to 2,047 values; beyond that, rank_error_max() bounds the error. Quantiles of parts of the numbers
// can be merged. The result depends on the order of the values and on how parts are merged, but on nothing random.
//
// The values are kept in levels; a value of level n stands for 2^n values. A full level is sorted, and every second
// value moves up a level while the others are dropped. This shifts the rank of a value by at most the weight of one
// value, and the sum of these shifts is the bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carrack::data::cli {

// Value is double or std::int64_t.
template <typename Value>
class Quantiles {
 public:
  static constexpr std::size_t level_size = 2048;

  // `value` must not be NaN.
  void add(Value value);
  void merge(const Quantiles& other);

  std::uint64_t count() const { return count_; }
  // The bound of the errors of Distribution, as a number of values: the difference between the rank of a returned
  // quantile and the requested rank, and between a result of count_up_to() and the true number. 0: all answers are
  // exact.
  std::uint64_t rank_error_max() const { return rank_error_max_; }

 private:
  template <typename>
  friend class Distribution;
  struct Level {
    std::vector<Value> values;
    bool moves_odd = false;  // Which value of each pair moves up next; it alternates so that shifts cancel out.
  };
  void compress();

  std::vector<Level> levels_;
  std::uint64_t count_ = 0;
  std::uint64_t rank_error_max_ = 0;
};

// Answers queries about the values that were in a Quantiles when this was constructed. Does not refer to the Quantiles
// afterwards. Answers are approximate, unless rank_error_max() was 0.
template <typename Value>
class Distribution {
 public:
  explicit Distribution(const Quantiles<Value>& quantiles);

  // Returns the smallest value v such that at least this share (0 to 1) of all values are <= v; 0 if there are no
  // values.
  Value quantile(double share) const;
  // Returns the number of values that are <= `value`.
  std::uint64_t count_up_to(Value value) const;

 private:
  struct Step {
    Value value;
    std::uint64_t rank;  // the number of values for which this step and the steps before it stand
  };
  std::vector<Step> steps_;
};

}  // namespace carrack::data::cli
