// Place: the position of an element in an order. An order maps places to elements by a pure function, so the state of
// reading in an order is only the next place.
#pragma once

#include <cstdint>

namespace carrack::data {

struct Place {
  std::uint64_t epoch = 0;   // number of the pass over all elements, from 0
  std::uint64_t number = 0;  // position within the epoch, from 0
  bool operator==(const Place&) const = default;
};

// The size of an order or sequence that never ends. Each size that is not less counts as this.
constexpr std::uint64_t endless = std::uint64_t{1} << 62;

}  // namespace carrack::data
