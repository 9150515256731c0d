// Runs of neighbours in a list, which are read or copied at once.
#pragma once

#include <cstddef>

#include "dataloader/order/order.h"

namespace carrack::data {

// Calls `use(range)` for each run. `follows(i)` says whether element i is in the run of element i - 1.
template <typename Follows, typename Use>
void for_each_run(std::size_t count, const Follows& follows, const Use& use) {
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1; end < count && follows(end);) ++end;
    use(Range{begin, end});
  }
}

}  // namespace carrack::data
