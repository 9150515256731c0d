// Where an element stands: its number in one passing of all of them. Which element that is, an order tells, as a pure
// function; so the state of whoever reads in order is one number, and anyone can go on from it.
#pragma once

#include <cstdint>

namespace carrack::data {

struct Place {
  std::uint64_t epoch = 0;  // which passing
  std::uint64_t number = 0;
  bool operator==(const Place&) const = default;
};

// The number of places where there is no last one.
constexpr std::uint64_t endless = std::uint64_t{1} << 62;

}  // namespace carrack::data
