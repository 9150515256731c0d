// BatchSet: a set of batch numbers, such as the batches that a parameter server has applied. It stores runs of
// consecutive numbers: the set {0, 1, 2, 5} is the runs [0, 3) and [5, 6). So its memory grows with the number of gaps,
// which is small because workers get batches in ascending order. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace carrack::train {

// The largest `end` of a run. So no batch has this number.
inline constexpr std::uint64_t batch_end_max = ~std::uint64_t{0};

// The batches begin to end - 1; none if `end` is not above `begin`.
struct BatchRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool operator==(const BatchRun&) const = default;
};

class BatchSet {
 public:
  BatchSet() = default;
  // The runs may be in any order and may overlap; empty runs are ignored.
  explicit BatchSet(const std::vector<BatchRun>& runs);

  // Adds the number, which must be below batch_end_max. Returns false if it was already in the set.
  bool add(std::uint64_t number);
  // Adds all numbers of the run. Some may already be in the set; an empty run has no effect.
  void add(BatchRun run);

  bool contains(std::uint64_t number) const;
  // The smallest number that is at least `from` and not in the set.
  std::uint64_t first_absent(std::uint64_t from) const;
  // One more than the largest number in the set; 0 if the set is empty.
  std::uint64_t upper_bound() const;
  // The number of batches in the set. Takes time linear in the number of runs.
  std::uint64_t count() const;
  // Returns the runs in ascending order; no two of them overlap or touch.
  std::vector<BatchRun> list() const;

  friend BatchSet intersection(const BatchSet& left, const BatchSet& right);
  bool operator==(const BatchSet&) const = default;

 private:
  std::map<std::uint64_t, std::uint64_t> end_of_;  // begin to end; no two runs overlap or touch
};

// Returns the batches that are in both sets. Takes time linear in the number of runs.
BatchSet intersection(const BatchSet& left, const BatchSet& right);

}  // namespace carrack::train
