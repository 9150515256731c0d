// The same work on many things, several at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace carrack::data {

// Does `work` on all of them, begun in their order, on at most so many threads; returns once all are done. Where one
// returns false or throws, no other is begun any more; what the first one throws is thrown here.
void at_once(std::span<const std::size_t> all, std::size_t threads, const std::function<bool(std::size_t)>& work);

}  // namespace carrack::data
