// A set of batch numbers kept as half-open runs: what a parameter server has applied, what a job has done.
// Its size is the number of gaps, not of batches: work is granted in order, so there are few.
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
  // The runs may come in any order and overlap; empty ones are dropped.
  explicit Runs(const std::vector<BatchRun>& runs);

  // False if it was there already.
  bool add(std::uint64_t number);
  void add(BatchRun run);

  bool contains(std::uint64_t number) const;
  // The smallest number from `from` on that is not in the set.
  std::uint64_t first_absent(std::uint64_t from) const;
  std::uint64_t count() const;
  // Sorted, apart from each other.
  std::vector<BatchRun> list() const;

  friend Runs intersection(const Runs& left, const Runs& right);
  bool operator==(const Runs&) const = default;

 private:
  std::map<std::uint64_t, std::uint64_t> end_of_;  // By begin; no two touch.
};

Runs intersection(const Runs& left, const Runs& right);

}  // namespace carrack::train
