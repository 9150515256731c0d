// A set of batch numbers, stored as half-open runs: the batches that a server has applied, or that a job has done. Its
// memory grows with the number of gaps, which is small because work is granted in ascending order. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace carrack::train {

struct BatchRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool operator==(const BatchRun&) const = default;
};

class Runs {
 public:
  Runs() = default;
  // The runs may be in any order and may overlap; empty runs are ignored.
  explicit Runs(const std::vector<BatchRun>& runs);

  // Returns false if the number was already in the set.
  bool add(std::uint64_t number);
  // Numbers of the run that are already in the set make no difference; an empty run has no effect.
  void add(BatchRun run);

  bool contains(std::uint64_t number) const;
  // The smallest number that is at least `from` and not in the set.
  std::uint64_t first_absent(std::uint64_t from) const;
  // One more than the largest number in the set; 0 if the set is empty.
  std::uint64_t upper_bound() const;
  // The number of numbers in the set. Takes time linear in the number of runs.
  std::uint64_t count() const;
  // Returns the runs in ascending order; no two of them overlap or touch.
  std::vector<BatchRun> list() const;

  friend Runs intersection(const Runs& left, const Runs& right);
  bool operator==(const Runs&) const = default;

 private:
  std::map<std::uint64_t, std::uint64_t> end_of_;  // begin to end; no two runs overlap or touch
};

// Takes time linear in the number of runs.
Runs intersection(const Runs& left, const Runs& right);

}  // namespace carrack::train
