// Approximate quantiles, such as the median, of numbers in one pass, for `carrack data stats` and --fill. Add the
// numbers to a Quantiles, and then query a Distribution made from it: Distribution(quantiles).quantile(0.5) is the
// median. Exact for up to 2,047 values; beyond that, rank_error_max() bounds the error. The result depends on the order
// of the values and on how parts are merged, but on nothing random. Not thread-safe.
//
// Values are stored in levels, and a value of level n represents 2^n values, so memory grows with the logarithm of
// their number. A full level is sorted, and every second value moves up a level while the others are dropped. This
// shifts the rank of a value by at most the weight of one value, and the sum of these shifts is the bound.
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
  // Adds the values that were added to `other`.
  void merge(const Quantiles& other);

  std::uint64_t count() const { return count_; }  // how many values were added
  // The largest error of the answers of a Distribution, as a number of values: of the rank of a quantile() among all
  // sorted values, and of a count_up_to(). With a result of 10 for 10,000 values, the returned median may be the value
  // of any rank from 4,990 to 5,010. 0: all answers are exact.
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

// Answers queries about the values that were in a Quantiles when this was constructed. It copies what it needs, so the
// Quantiles need not outlive it. Answers are approximate, unless rank_error_max() was 0.
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
    std::uint64_t rank;  // the number of values that this step and the steps before it represent
  };
  std::vector<Step> steps_;
};

}  // namespace carrack::data::cli
