// A vector for columns of batches. Large ones come from memory that was used before, as fresh pages cost more than
// filling them; and values that nobody named are left as they lie, as each is written anyhow.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace carrack::data {

// Of the process; kept when given back, up to a bound.
void* take_memory(std::size_t bytes);
void give_memory_back(void* memory, std::size_t bytes) noexcept;

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
