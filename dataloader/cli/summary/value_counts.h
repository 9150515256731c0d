// Counts how often each value occurs if there are few different values, such as class labels. Once there are more than
// 16 different values, it discards all counts. `carrack data stats` prints them, and manifest_features.h proposes
// strings as `words`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace carrack::data::cli {

template <typename Value>
class ValueCounts {
 public:
  static constexpr std::size_t distinct_max = 16;
  using Counts = std::vector<std::pair<Value, std::uint64_t>>;

  // Adds a value that occurs `times` times. Other is any type that a Value can be compared with and made from, such as
  // std::string_view for std::string. `value` must not be NaN, which would count as a new value each time.
  template <typename Other>
  void add(const Other& value, std::uint64_t times = 1) {
    if (!counts_) return;
    for (auto& [known, count] : *counts_) {
      if (known != value) continue;
      count += times;
      return;
    }
    if (counts_->size() == distinct_max)
      discard();
    else
      counts_->emplace_back(Value(value), times);
  }

  // Discards all counts, as if there were too many values. Values that are added afterwards are ignored.
  void discard() { counts_.reset(); }

  // Adds the values that were added to `other`. Discards all counts if those of `other` were discarded.
  void merge(const ValueCounts& other) {
    if (!other.counts_) discard();
    if (!counts_) return;
    for (const auto& [value, count] : *other.counts_) add(value, count);
  }

  // Returns the counts, sorted by value; empty if no value was added, nullopt if they were discarded.
  std::optional<Counts> counts() const {
    std::optional<Counts> sorted = counts_;
    if (sorted) std::sort(sorted->begin(), sorted->end());
    return sorted;
  }

 private:
  std::optional<Counts> counts_{std::in_place};
};

}  // namespace carrack::data::cli
