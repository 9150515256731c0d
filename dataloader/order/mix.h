// Mix: several sequences mixed by weights, each in its own order. Of any 1,024 consecutive places each sequence has the
// share of its weight, rounded to whole places and spread evenly; a shard (every n-th place) has about the same shares.
// Immutable; safe for many threads.
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
    std::size_t sequence = 0;  // as an index into `sizes`
    std::uint64_t number = 0;  // within the sequence
    bool operator==(const Element&) const = default;
  };

  // `sizes` are the numbers of elements of the sequences, one for each weight; a size may be `endless` (place.h). The
  // mix ends at the first place for which a sequence has no element left. `random` selects where in the pattern of
  // 1,024 places the mix begins. Throws an Error if there are no sequences or another number of weights, if a weight is
  // not a positive finite number, or if its share of 1,024 places is 0; a thousandth of the sum is enough.
  Mix(const std::vector<std::uint64_t>& sizes, const std::vector<double>& weights, const Random& random);

  std::uint64_t size() const { return size_; }  // number of places; `endless` if all sizes are
  // Returns the element at a place, which must be less than size().
  Element at(std::uint64_t place) const;

 private:
  static constexpr std::uint64_t round = 1024;

  std::array<Element, round> round_;   // the elements of the first round; later rounds continue them
  std::vector<std::uint64_t> shares_;  // number of elements of each sequence in a round
  std::uint64_t size_ = 0;
};

}  // namespace carrack::data
