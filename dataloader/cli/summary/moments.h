// The mean and standard deviation of numbers, in one pass: the Moments of a single number are {1, number, 0}, and
// merge() adds the Moments of more numbers. For `carrack data stats` and `inspect`.
#pragma once

#include <cmath>
#include <cstdint>

namespace carrack::data::cli {

struct Moments {
  std::uint64_t count = 0;
  double mean = 0;
  double squared_distances = 0;  // the sum of the squared distances from the mean

  // Makes these the moments of the numbers of both. From Chan, Golub and LeVeque, "Updating formulae and a pairwise
  // algorithm for computing sample variances" (1979).
  void merge(const Moments& other) {
    if (other.count == 0) return;
    const auto ours = static_cast<double>(count), theirs = static_cast<double>(other.count), all = ours + theirs;
    const double difference = other.mean - mean;
    mean += difference * theirs / all;
    squared_distances += other.squared_distances + difference * difference * ours * theirs / all;
    count += other.count;
  }
  // The standard deviation of the population (divided by `count`, not count - 1); 0 without values.
  double standard_deviation() const {
    return count == 0 ? 0 : std::sqrt(squared_distances / static_cast<double>(count));
  }
};

}  // namespace carrack::data::cli
