#include "dataloader/machine/heap.h"

#include <malloc.h>

namespace carrack::data {

void use_one_heap() {
  mallopt(M_ARENA_MAX, 1);
}

}  // namespace carrack::data
