// How many different values there are, in little memory and one pass: the smallest hashes of all are kept. While they
// are all that there are, their number is the answer; from then on how close they lie tells it, within a few percent.
// Parts that saw parts of the values can be merged, and the order of values changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace carrack::data::cli {

class Distinct {
 public:
  static constexpr std::size_t most_kept = 4096;

  struct Count {
    std::uint64_t count = 0;
    bool exact = true;
    bool operator==(const Count&) const = default;
  };

  void add(double value);
  void add(float value) { add(static_cast<double>(value)); }
  void add(std::int64_t value) { add_hash(mixed(static_cast<std::uint64_t>(value))); }
  void add(std::string_view value);
  void merge(const Distinct& other);
  Count count() const;

 private:
  static std::uint64_t mixed(std::uint64_t bits);
  void add_hash(std::uint64_t hash);
  void keep_smallest();

  std::vector<std::uint64_t> hashes_;                                // some of them twice, until the smallest are kept
  std::uint64_t added_ = 0;                                          // There are no more than that.
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();  // None is kept from here on.
  std::vector<std::uint64_t> recent_;                                // So that what is frequent is kept once.
};

}  // namespace carrack::data::cli
