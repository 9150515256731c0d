// LargeVector: a std::vector for columns of batches. Its memory is recycled, and resize() leaves new values
// uninitialised, because each of them is written afterwards anyway.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "dataloader/memory/recycled.h"

namespace carrack::data {

template <typename Value>
struct Recycled {
  using value_type = Value;

  Recycled() = default;
  template <typename Other>
  Recycled(const Recycled<Other>&) {}

  Value* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(Value)) throw std::bad_array_new_length();
    return static_cast<Value*>(take_memory(count * sizeof(Value)));
  }
  void deallocate(Value* memory, std::size_t count) noexcept { give_memory_back(memory, count * sizeof(Value)); }

  template <typename Any, typename... Arguments>
  void construct(Any* at, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
      ::new (static_cast<void*>(at)) Any;
    } else {
      ::new (static_cast<void*>(at)) Any(std::forward<Arguments>(arguments)...);
    }
  }
  bool operator==(const Recycled&) const = default;
};

template <typename Value>
using LargeVector = std::vector<Value, Recycled<Value>>;

}  // namespace carrack::data
