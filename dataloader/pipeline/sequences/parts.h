// Parts: a sequence that consists of consecutive parts, such as the records of several files. It finds the part of an
// element, and the elements of a part. With parts of 10 and 5 elements, at(12) is {1, 2} and range(1) is {10, 15}.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataloader/order/order.h"

namespace carrack::data {

class Parts {
 public:
  // An element as part and number in that part.
  struct Element {
    std::size_t part = 0;
    std::uint64_t number = 0;  // from 0
  };

  // Adds a part, which may be empty, at the end.
  void add(std::uint64_t elements) { ends_.push_back(size() + elements); }
  std::uint64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  // Returns the numbers of the elements of a part, counted over all parts. The part must exist.
  Range range(std::size_t part) const { return {part > 0 ? ends_[part - 1] : 0, ends_[part]}; }
  // Returns the element with this number, counted over all parts. `number` must be less than size(). Takes logarithmic
  // time.
  Element at(std::uint64_t number) const {
    const auto part = static_cast<std::size_t>(std::ranges::upper_bound(ends_, number) - ends_.begin());
    return {part, number - range(part).begin};
  }

 private:
  std::vector<std::uint64_t> ends_;  // for each part, the number of elements up to its end
};

}  // namespace carrack::data
