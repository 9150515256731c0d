// for_each_run(): divides a list into runs of neighbours that belong together, so that each run can be read or copied
// in one call. For places 4 5 6 9 10, where each place that is one more than the last follows, it calls use({0, 3}) and
// use({3, 5}).
#pragma once

#include <cstddef>

#include "dataloader/order/order.h"

namespace carrack::data {

// Calls use(range) for each run of the indexes 0 to count - 1, in ascending order. follows(i) returns whether index i
// belongs to the same run as index i - 1; i is never 0.
template <typename Follows, typename Use>
void for_each_run(std::size_t count, const Follows& follows, const Use& use) {
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1; end < count && follows(end);) ++end;
    use(Range{begin, end});
  }
}

}  // namespace carrack::data
