// How often each value stands, while there are few different ones, such as labels; of more than that nothing is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace carrack::data::cli {

template <typename Value>
class FewValues {
 public:
  static constexpr std::size_t most = 16;
  using Counts = std::vector<std::pair<Value, std::uint64_t>>;

  // Of anything that a Value is made of and compares with.
  template <typename Seen>
  void add(const Seen& value, std::uint64_t times = 1) {
    if (!counts_) return;
    for (auto& [known, count] : *counts_) {
      if (known != value) continue;
      count += times;
      return;
    }
    if (counts_->size() == most)
      give_up();
    else
      counts_->emplace_back(Value(value), times);
  }

  void give_up() { counts_.reset(); }

  void merge(const FewValues& other) {
    if (!other.counts_) give_up();
    if (!counts_) return;
    for (const auto& [value, count] : *other.counts_) add(value, count);
  }

  // By value; nothing where there were more.
  std::optional<Counts> counts() const {
    std::optional<Counts> sorted = counts_;
    if (sorted) std::sort(sorted->begin(), sorted->end());
    return sorted;
  }

 private:
  std::optional<Counts> counts_{std::in_place};
};

}  // namespace carrack::data::cli
