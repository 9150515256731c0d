// Statistics of each single value of a feature that has several in each record, such as the sensors of a machine: which
// of them has other magnitudes than the rest, or holds NaN. Those of parts of the records can be merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dataloader/cli/summary/moments.h"

namespace carrack::data::cli {

// The first value of all records, or the second, and so on.
struct ValueColumn {
  Moments moments;  // of the finite values, like the range
  double min = std::numeric_limits<double>::max();
  double max = std::numeric_limits<double>::lowest();
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;

  void add(double value);
  void merge(const ValueColumn& other);
};

class ValueColumns {
 public:
  // A feature with more values has no columns, so that memory stays bounded and reports readable.
  static constexpr std::size_t columns_max = 64;

  // Adds the values of a record.
  template <typename Number>
  void add(std::span<const Number> values) {
    if (!expect(values.size())) return;
    for (std::size_t i = 0; i < values.size(); ++i) columns_[i].add(static_cast<double>(values[i]));
  }
  void merge(const ValueColumns& other);

  // Drops all columns for good.
  void discard();

  // Empty if there is nothing to tell apart: if records had one value, different numbers of values, or too many.
  std::span<const ValueColumn> columns() const { return columns_; }

 private:
  // False if there are no columns, as after other records had another number of values.
  bool expect(std::size_t size);

  std::vector<ValueColumn> columns_;
  bool discarded_ = false;
};

}  // namespace carrack::data::cli
