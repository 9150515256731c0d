#include "dataloader/cli/summary/quantiles.h"

#include <algorithm>
#include <cmath>

namespace carrack::data::cli {

template <typename Value>
void Quantiles<Value>::add(Value value) {
  if (levels_.empty()) levels_.emplace_back();
  levels_[0].values.push_back(value);
  ++count_;
  if (levels_[0].values.size() >= level_size) compress();
}

template <typename Value>
void Quantiles<Value>::merge(const Quantiles& other) {
  if (levels_.size() < other.levels_.size()) levels_.resize(other.levels_.size());
  for (std::size_t i = 0; i < other.levels_.size(); ++i) {
    const std::vector<Value>& theirs = other.levels_[i].values;
    levels_[i].values.insert(levels_[i].values.end(), theirs.begin(), theirs.end());
  }
  count_ += other.count_;
  rank_error_max_ += other.rank_error_max_;
  compress();
}

// Sorts each full level and moves every second value up to the next level, where it represents twice as many values.
// Drops the others.
template <typename Value>
void Quantiles<Value>::compress() {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].values.size() < level_size) continue;
    if (i + 1 == levels_.size()) levels_.emplace_back();
    Level& full = levels_[i];
    std::sort(full.values.begin(), full.values.end());
    const std::size_t pairs = full.values.size() / 2;
    for (std::size_t pair = 0; pair < pairs; ++pair)
      levels_[i + 1].values.push_back(full.values[2 * pair + (full.moves_odd ? 1 : 0)]);
    full.values.erase(full.values.begin(), full.values.begin() + static_cast<std::ptrdiff_t>(2 * pairs));
    full.moves_odd = !full.moves_odd;
    rank_error_max_ += std::uint64_t{1} << i;
  }
}

template <typename Value>
Distribution<Value>::Distribution(const Quantiles<Value>& quantiles) {
  for (std::size_t i = 0; i < quantiles.levels_.size(); ++i)
    for (const Value value : quantiles.levels_[i].values) steps_.push_back({value, std::uint64_t{1} << i});
  std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) { return a.value < b.value; });
  std::uint64_t rank = 0;
  for (Step& step : steps_) step.rank = rank += step.rank;
}

template <typename Value>
Value Distribution<Value>::quantile(double share) const {
  if (steps_.empty()) return 0;
  constexpr double rounding = 1 - 1e-12;  // 0.07 * 100 is 7.000000000000001, which must not be rounded up to 8.
  const double rank = std::ceil(share * static_cast<double>(steps_.back().rank) * rounding);
  const auto found = std::find_if(steps_.begin(), steps_.end() - 1,
                                  [&](const Step& step) { return static_cast<double>(step.rank) >= rank; });
  return found->value;
}

template <typename Value>
std::uint64_t Distribution<Value>::count_up_to(Value value) const {
  const auto above = std::upper_bound(steps_.begin(), steps_.end(), value,
                                      [](Value limit, const Step& step) { return limit < step.value; });
  return above == steps_.begin() ? 0 : (above - 1)->rank;
}

template class Quantiles<double>;
template class Quantiles<std::int64_t>;
template class Distribution<double>;
template class Distribution<std::int64_t>;

}  // namespace carrack::data::cli
