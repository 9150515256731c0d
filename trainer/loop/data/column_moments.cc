#include "trainer/loop/data/column_moments.h"

#include <cmath>

#include "dataloader/check.h"

namespace carrack::train {

// Uses Welford's method.
void ColumnMoments::add(std::span<const float> values) {
  const std::size_t columns = means_.size();
  CHECK_EQ(values.size() % columns, 0u);
  for (std::size_t begin = 0; begin < values.size(); begin += columns) {
    const double weight = 1 / static_cast<double>(++rows_);
    const float* row = values.data() + begin;
    for (std::size_t i = 0; i < columns; ++i) {
      const double difference = row[i] - means_[i];
      means_[i] += difference * weight;
      squares_[i] += difference * (row[i] - means_[i]);
    }
  }
}

std::vector<checkpoint::ColumnStatistics> ColumnMoments::result() const {
  std::vector<checkpoint::ColumnStatistics> all;
  for (std::size_t i = 0; i < means_.size(); ++i) {
    const auto deviation = static_cast<float>(std::sqrt(squares_[i] / static_cast<double>(rows_)));
    // Equal values have the deviation 0, by which Standardize could not divide.
    all.push_back({static_cast<float>(means_[i]), deviation > 0 ? deviation : 1});
  }
  return all;
}

}  // namespace carrack::train
