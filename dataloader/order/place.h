// Place: where an element is in an order, as its number within an epoch. An order maps places to elements by a pure
// function, so the state of reading in an order is one number.
#pragma once

#include <cstdint>

namespace carrack::data {

struct Place {
  std::uint64_t epoch = 0;   // pass over all elements, from 0
  std::uint64_t number = 0;  // in the epoch, from 0
  bool operator==(const Place&) const = default;
};

// The size of an order or sequence without end.
constexpr std::uint64_t endless = std::uint64_t{1} << 62;

}  // namespace carrack::data
