// Approximate quantiles of a stream of numbers, in one pass and bounded memory. They are exact up to 2,047 values;
// beyond that, rank_error_max() bounds the error. Summaries of parts of the stream can be merged. The result depends
// only on the values and their order; nothing is random.
//
// The values are kept in levels; a value of level n stands for 2^n values. A full level is sorted and every second
// value of it moves up a level. That shifts the rank of any value by at most the weight of one value, and the sum of
// these shifts is the bound.
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
  // The largest possible difference between the rank of a reported quantile and the requested rank, in values of
  // count(). 0 means that all answers are exact.
  std::uint64_t rank_error_max() const { return rank_error_max_; }

 private:
  template <typename>
  friend class Distribution;
  struct Level {
    std::vector<Value> values;
    bool moves_odd = false;  // Which half of the pairs moves up next; alternates so that shifts cancel.
  };
  void compress();

  std::vector<Level> levels_;
  std::uint64_t count_ = 0;
  std::uint64_t rank_error_max_ = 0;
};

// Answers queries about a snapshot of Quantiles.
template <typename Value>
class Distribution {
 public:
  explicit Distribution(const Quantiles<Value>& quantiles);

  // The smallest value with at least this share (0 to 1) of all values at or below it; 0 if there are no values.
  Value quantile(double share) const;
  // How many values are at most `value`.
  std::uint64_t count_up_to(Value value) const;

 private:
  struct Step {
    Value value;
    std::uint64_t rank;  // of the last value that this one stands for, counted from 1
  };
  std::vector<Step> steps_;
};

}  // namespace carrack::data::cli
