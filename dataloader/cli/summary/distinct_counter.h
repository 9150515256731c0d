// Estimates how many different values were added, as SQL's COUNT(DISTINCT), in one pass and bounded memory. Exact up to
// 4,096 different values; above that the standard error is 1.6%. It stores only the smallest hashes of the values (a
// k-minimum-values sketch). The order of the values makes no difference. `carrack data stats` prints the estimate,
// and manifest_features.h computes `buckets` from it. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace carrack::data::cli {

class DistinctCounter {
 public:
  static constexpr std::size_t hashes_max = 4096;

  struct Count {
    std::uint64_t count = 0;
    bool exact = true;  // if false, `count` is an estimate
    bool operator==(const Count&) const = default;
  };

  // Adds a value. Add values of only one type to a counter. -0 and 0 count as the same value, and so do NaNs with the
  // same bits.
  void add(double value);
  void add(float value) { add(static_cast<double>(value)); }
  void add(std::int64_t value) { add_hash(mix_bits(static_cast<std::uint64_t>(value))); }
  void add(std::string_view value);
  // Adds all values that were added to `other`; a value that was added to both counts once.
  void merge(const DistinctCounter& other);
  // Returns the number of different values. Copies and sorts up to 8,191 hashes.
  Count count() const;

 private:
  static std::uint64_t mix_bits(std::uint64_t bits);
  void add_hash(std::uint64_t hash);
  // Removes duplicates, and all but the hashes_max smallest hashes.
  void keep_smallest();

  std::vector<std::uint64_t> hashes_;  // may hold duplicates until keep_smallest()
  std::uint64_t added_ = 0;            // the number of calls of add(), an upper bound of the count
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();  // Hashes of this size or larger are dropped.
  std::vector<std::uint64_t> recent_;                                // a cache that drops most repetitions early
};

}  // namespace carrack::data::cli
