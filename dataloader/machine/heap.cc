#include "dataloader/machine/heap.h"

#include <malloc.h>

namespace carrack::data {

void use_one_heap() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, static_cast<int>(heap_slack_bytes));
}

void return_freed_memory() {
  malloc_trim(heap_slack_bytes);
}

}  // namespace carrack::data
