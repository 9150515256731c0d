// Statistics of each position of a feature that is a vector, for `carrack data stats`. If each record has the values of
// five sensors, there are five columns: one for the first value of all records, one for the second, and so on. They
// show which value has other magnitudes than the rest, or is NaN.
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
  std::uint64_t nan = 0;       // the number of values that are NaN
  std::uint64_t infinite = 0;  // the number of values that are plus or minus infinity

  void add(double value);
  void merge(const ValueColumn& other);
};

class ValueColumns {
 public:
  // A feature with more values than this has no columns, so that memory is bounded and reports are readable.
  static constexpr std::size_t columns_max = 64;

  // Adds the values of a record, one to each column. Discards all columns, for ever, if there are fewer than two
  // values, more than columns_max, or not as many as in earlier records.
  template <typename Number>
  void add(std::span<const Number> values) {
    if (!expect(values.size())) return;
    for (std::size_t i = 0; i < values.size(); ++i) columns_[i].add(static_cast<double>(values[i]));
  }
  // Adds the records that were added to `other`. Discards all columns if those of `other` were discarded, or if the
  // numbers of columns differ.
  void merge(const ValueColumns& other);

  // Removes all columns. Records that are added afterwards are ignored.
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
