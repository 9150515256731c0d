// Floats: a std::vector<float> for one float per parameter of a model, such as a sum of gradients. A job needs such
// memory again in every step, so freed memory stays with the process and is reused. As in every RecycledVector
// (large_vector.h), new elements are uninitialised.
#pragma once

#include <cstdint>
#include <limits>

#include "dataloader/memory/large_vector.h"

namespace carrack::train {

struct ModelMemory {
  static data::RecycledMemory& get() {
    // Never destroyed, because other objects free vectors until the process ends.
    static auto& memory = *new data::RecycledMemory(std::numeric_limits<std::uint64_t>::max());
    return memory;
  }
};

using Floats = data::RecycledVector<float, ModelMemory>;

}  // namespace carrack::train
