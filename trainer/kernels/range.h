// Range: the half-open range [begin, end) of numbers, such as those of elements, lanes or records.
#pragma once

#include <cstdint>

namespace carrack::train {

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  constexpr std::int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

}  // namespace carrack::train
