// Floats: a vector of as many floats as a model has parameters, such as a sum of gradients. A job needs such memory
// anew in every step, so all of it stays with the process.
#pragma once

#include <cstdint>
#include <limits>

#include "dataloader/memory/large_vector.h"

namespace carrack::train {

struct ModelMemory {
  static data::RecycledMemory& get() {
    // Never destroyed, because other objects free vectors to the end.
    static auto& memory = *new data::RecycledMemory(std::numeric_limits<std::uint64_t>::max());
    return memory;
  }
};

using Floats = data::RecycledVector<float, ModelMemory>;

}  // namespace carrack::train
