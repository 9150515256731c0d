// Several sequences mixed by weights, each in its own order: of every 1,024 places in a row each has as many as its
// weight says, spread as evenly as that can be; so has each shard of them. A pure function, so that it goes on
// anywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataloader/order/random.h"

namespace carrack::data {

class Mix {
 public:
  struct Element {
    std::size_t sequence = 0;
    std::uint64_t number = 0;
    bool operator==(const Element&) const = default;
  };

  // Ends with the first sequence of which there is nothing left. Throws an Error unless there is a positive weight for
  // each, none of them less than a thousandth of all. What is drawn is where in the pattern it begins.
  Mix(const std::vector<std::uint64_t>& sizes, const std::vector<double>& weights, const Random& random);

  std::uint64_t size() const { return size_; }
  Element at(std::uint64_t place) const;

 private:
  static constexpr std::uint64_t round = 1024;

  std::array<Element, round> round_;   // the first one; others go on from it
  std::vector<std::uint64_t> shares_;  // of each sequence in a round
  std::uint64_t size_ = 0;
};

}  // namespace carrack::data
