// Several sequences mixed by weights: of every 1,024 places in a row, from any multiple of it on, each sequence has
// as many as its weight says, in a drawn order. A pure function, so that it goes on anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataloader/order/place.h"
#include "dataloader/order/random.h"

namespace carrack::data {

class Mix {
 public:
  struct Element {
    std::size_t sequence = 0;
    Place place;
    bool operator==(const Element&) const = default;
  };

  // Ends with the first sequence of which there is nothing left. Throws an Error unless there is a positive weight for
  // each, none of them less than a thousandth of all.
  Mix(const std::vector<std::uint64_t>& sizes, const std::vector<double>& weights, const Random& random);

  std::uint64_t size() const { return size_; }
  Element at(Place place) const;

 private:
  static constexpr std::uint64_t round = 1024;

  Random random_;
  std::vector<std::uint64_t> ends_;  // of each sequence's share of a round
  std::uint64_t size_ = 0;
};

}  // namespace carrack::data
