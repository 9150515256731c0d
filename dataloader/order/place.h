// Place: the position of an element (a row or a batch) in the order of an epoch, and the epoch. Orders map places to
// elements by pure functions, so the state of reading in an order is only the next place.
#pragma once

#include <cstdint>

namespace carrack::data {

struct Place {
  std::uint64_t epoch = 0;   // number of the pass over all elements, from 0
  std::uint64_t number = 0;  // position within the epoch, from 0
  bool operator==(const Place&) const = default;
};

// The size of an order or sequence that never ends. A larger size means the same, so compare with `size >= endless`.
constexpr std::uint64_t endless = std::uint64_t{1} << 62;

}  // namespace carrack::data
