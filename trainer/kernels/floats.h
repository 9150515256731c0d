// Floats: a vector of as many floats as a model has parameters, such as a sum of gradients. A job needs such memory
// anew in every step, so the process holds what is freed (dataloader/machine/heap.h).
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "dataloader/machine/heap.h"

namespace carrack::train {

// Elements that get no value are not set. In debug builds they are NaN, so that reading one shows.
template <class T>
struct BlockAllocator {
  using value_type = T;

  BlockAllocator() = default;
  template <class U>
  BlockAllocator(const BlockAllocator<U>&) {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(data::allocate_block(count * sizeof(T)));
  }
  void deallocate(T* block, std::size_t count) noexcept { data::free_block(block, count * sizeof(T)); }

  template <class U, class... Arguments>
  void construct(U* element, Arguments&&... arguments) {
    if constexpr (sizeof...(arguments) > 0) {
      ::new (static_cast<void*>(element)) U(std::forward<Arguments>(arguments)...);
    } else {
#ifdef CARRACK_UNSET_IS_NAN
      ::new (static_cast<void*>(element)) U(std::numeric_limits<U>::quiet_NaN());
#else
      ::new (static_cast<void*>(element)) U;
#endif
    }
  }

  bool operator==(const BlockAllocator&) const = default;
};

using Floats = std::vector<float, BlockAllocator<float>>;

}  // namespace carrack::train
