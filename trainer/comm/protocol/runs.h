// A set of batch numbers, stored as half-open runs: the batches that a server has applied, or that a job has done. Its
// memory grows with the number of gaps, which are few because work is granted in ascending order. Not thread-safe.
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

  // Returns false if the number was in the set already.
  bool add(std::uint64_t number);
  void add(BatchRun run);

  bool contains(std::uint64_t number) const;
  // The smallest number from `from` on that is not in the set.
  std::uint64_t first_absent(std::uint64_t from) const;
  // One more than the largest number in the set; 0 if the set is empty.
  std::uint64_t upper_bound() const;
  std::uint64_t count() const;
  // In ascending order; no two runs overlap or touch.
  std::vector<BatchRun> list() const;

  friend Runs intersection(const Runs& left, const Runs& right);
  bool operator==(const Runs&) const = default;

 private:
  std::map<std::uint64_t, std::uint64_t> end_of_;  // begin to end; no two runs overlap or touch
};

// Takes linear time.
Runs intersection(const Runs& left, const Runs& right);

}  // namespace carrack::train
