#include "dataloader/cli/summary/value_columns.h"

#include <algorithm>
#include <cmath>

namespace carrack::data::cli {

void ValueColumn::add(double value) {
  if (!std::isfinite(value)) {
    ++(std::isnan(value) ? nan : infinite);
    return;
  }
  min = std::min(min, value);
  max = std::max(max, value);
  moments.merge({1, value, 0});
}

void ValueColumn::merge(const ValueColumn& other) {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  moments.merge(other.moments);
  nan += other.nan;
  infinite += other.infinite;
}

void ValueColumns::merge(const ValueColumns& other) {
  if (other.discarded_) discard();
  if (other.columns_.empty() || !expect(other.columns_.size())) return;
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].merge(other.columns_[i]);
}

void ValueColumns::discard() {
  columns_.clear();
  discarded_ = true;
}

bool ValueColumns::expect(std::size_t size) {
  const bool can_be = !discarded_ && size > 1 && size <= columns_max;
  if (can_be && columns_.empty()) columns_.resize(size);
  if (!can_be || columns_.size() != size) discard();
  return !discarded_;
}

}  // namespace carrack::data::cli
