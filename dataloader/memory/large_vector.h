// LargeVector: the std::vector for columns of batches. Its memory comes from the data loader's pool (LoaderMemory in
// recycled.h), because fresh pages are slow. RecycledVector: the same with another pool, such as that of the trainer's
// Floats (trainer/kernels/floats.h).
//
// Beware: if no value is passed, the constructor and resize() leave new numbers uninitialised, because callers
// overwrite them anyway: LargeVector<float>(n) is not zeros, LargeVector<float>(n, 0.0f) is. Elements of class types,
// such as std::string_view, are constructed as usual. In debug builds new floats are NaN, so that reading one is
// noticed.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "dataloader/memory/recycled.h"

namespace carrack::data {

// The allocator of these vectors. It takes memory from Memory::get(), a RecycledMemory& that must outlive all vectors.
template <typename Value, typename Memory>
struct Recycled {
  using value_type = Value;

  Recycled() = default;
  template <typename Other>
  Recycled(const Recycled<Other, Memory>&) {}

  Value* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(Value)) throw std::bad_array_new_length();
    return static_cast<Value*>(Memory::get().take(count * sizeof(Value)));
  }
  void deallocate(Value* memory, std::size_t count) noexcept { Memory::get().give_back(memory, count * sizeof(Value)); }

  template <typename Any, typename... Arguments>
  void construct(Any* at, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) > 0) {
      ::new (static_cast<void*>(at)) Any(std::forward<Arguments>(arguments)...);
#ifdef CARRACK_UNSET_IS_NAN
    } else if constexpr (std::is_floating_point_v<Any>) {
      ::new (static_cast<void*>(at)) Any(std::numeric_limits<Any>::quiet_NaN());
#endif
    } else {
      ::new (static_cast<void*>(at)) Any;
    }
  }
  bool operator==(const Recycled&) const = default;
};

template <typename Value, typename Memory>
using RecycledVector = std::vector<Value, Recycled<Value, Memory>>;

template <typename Value>
using LargeVector = RecycledVector<Value, LoaderMemory>;

}  // namespace carrack::data
