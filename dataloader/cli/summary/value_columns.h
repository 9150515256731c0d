// Statistics of each single value of a feature that has several values in each record, such as the sensors of a
// machine. They show which value has other magnitudes than the rest, or is NaN. Columns of parts of the records can be
// merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dataloader/cli/summary/moments.h"

namespace carrack::data::cli {

// The values at one position (the first, the second, ...) in all records.
struct ValueColumn {
  Moments moments;  // `moments`, `min` and `max` are those of the finite values
  double min = std::numeric_limits<double>::max();
  double max = std::numeric_limits<double>::lowest();
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;

  void add(double value);
  void merge(const ValueColumn& other);
};

class ValueColumns {
 public:
  // A feature with more values than this has no columns, so that memory is bounded and reports are readable.
  static constexpr std::size_t columns_max = 64;

  // Adds the values of a record. Discards all columns if there are fewer than two values, more than columns_max, or a
  // number different from that of earlier records.
  template <typename Number>
  void add(std::span<const Number> values) {
    if (!expect(values.size())) return;
    for (std::size_t i = 0; i < values.size(); ++i) columns_[i].add(static_cast<double>(values[i]));
  }
  // Discards all columns if those of `other` were discarded, or if the numbers of columns differ.
  void merge(const ValueColumns& other);

  // Removes all columns. Values that are added afterwards are ignored.
  void discard();

  // Empty if no record was added, or the columns were discarded.
  std::span<const ValueColumn> columns() const { return columns_; }

 private:
  // Makes `size` columns if there are none yet; discards all if that is not possible or their number differs. Returns
  // whether there are columns.
  bool expect(std::size_t size);

  std::vector<ValueColumn> columns_;
  bool discarded_ = false;
};

}  // namespace carrack::data::cli
