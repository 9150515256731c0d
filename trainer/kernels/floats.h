// Floats, a std::vector<float> for large arrays: one float for each parameter of a model, such as a sum of gradients.
// Beware: as in every RecycledVector (dataloader/memory/large_vector.h), Floats(n) and resize(n) leave new elements
// uninitialised. A job needs such memory again in every step, so the memory of a destroyed vector of 64 KiB or more
// stays with the process and is reused; the amount has no limit.
#pragma once

#include <cstdint>
#include <limits>

#include "dataloader/memory/large_vector.h"

namespace carrack::train {

// The pool of this memory, for the template argument of Floats. Other code needs only Floats.
struct ModelMemory {
  static data::RecycledMemory& get() {
    // Never destroyed, because other objects free vectors until the process ends.
    static auto& memory = *new data::RecycledMemory(std::numeric_limits<std::uint64_t>::max());
    return memory;
  }
};

using Floats = data::RecycledVector<float, ModelMemory>;

}  // namespace carrack::train
