// Mix: the order in which several sequences are mixed by weights. With weights {3, 1}, of any 1,024 consecutive places
// 768 have elements of the first sequence and 256 of the second, spread evenly. In general each sequence has the share
// of its weight, rounded to whole places of 1,024. A shard (every n-th place) has about the same shares if n is small.
// The elements of a sequence are in their own order. It computes numbers only. Immutable; safe for many threads.
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

  std::uint64_t size() const { return size_; }  // number of places; at most `endless`
  // Returns the element at a place (a position in the mixed order), which must be less than size().
  Element at(std::uint64_t place) const;

 private:
  static constexpr std::uint64_t round = 1024;

  std::array<Element, round> round_;   // the elements of the first round; later rounds continue them
  std::vector<std::uint64_t> shares_;  // number of elements of each sequence in a round
  std::uint64_t size_ = 0;
};

}  // namespace carrack::data
