// Several sequences mixed by weights, each in its own order: of every 1,024 consecutive places each sequence has the
// share of its weight, spread as evenly as possible; so has each shard of the mix. A pure function; safe from any
// thread.
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

  // Ends when the first sequence is used up. Throws an Error unless each sequence has a positive weight of at least a
  // thousandth of their sum. `random` chooses where in the pattern the mix begins.
  Mix(const std::vector<std::uint64_t>& sizes, const std::vector<double>& weights, const Random& random);

  std::uint64_t size() const { return size_; }
  // `place` is less than size().
  Element at(std::uint64_t place) const;

 private:
  static constexpr std::uint64_t round = 1024;

  std::array<Element, round> round_;   // the elements of the first round; later rounds continue them
  std::vector<std::uint64_t> shares_;  // of each sequence in a round
  std::uint64_t size_ = 0;
};

}  // namespace carrack::data
