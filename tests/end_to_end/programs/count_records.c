/* Counts how often each record was used: pushes -1 for each number in the feature `id`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carrack.h"

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, carrack_last_error());
  return 1;
}

static const carrack_column* column_named(const carrack_batch* batch, const char* name) {
  for (size_t i = 0; i < batch->column_count; ++i) {
    if (strcmp(batch->columns[i].name, name) == 0) return &batch->columns[i];
  }
  return NULL;
}

int main(void) {
  carrack_worker* worker;
  carrack_batch batch;
  size_t count;
  int64_t records = 0;
  if (carrack_join(NULL, &worker) != CARRACK_OK) {
    fprintf(stderr, "%s\n", carrack_last_error());
    return carrack_exit_code(NULL);
  }
  const carrack_tensor* tensors = carrack_tensors(worker, &count);
  printf("%zu tensor: %s, %" PRId64 " elements, %zu dimension\n", count, tensors[0].name, tensors[0].elements, tensors[0].rank);
  carrack_status status;
  while ((status = carrack_next(worker, -1, &batch)) == CARRACK_OK) {
    const carrack_column* id = column_named(&batch, "id");
    if (id == NULL || id->type != CARRACK_INT64 || id->rank != 2 || id->shape[0] != batch.records) return 2;
    if (carrack_next(worker, -1, &batch) != CARRACK_MISUSE) return 3;
    if (carrack_push(worker, batch.records + 1, 0) != CARRACK_MISUSE) return 4;
    for (int64_t i = 0; i < batch.records; ++i) batch.gradients[((const int64_t*)id->values)[i]] -= 1;
    records += batch.records;
    if (carrack_push(worker, batch.records, 0) != CARRACK_OK) return fail("carrack_push");
    if (carrack_push(worker, batch.records, 0) != CARRACK_MISUSE) return 5;
  }
  if (status == CARRACK_FAILED) fprintf(stderr, "%s\n", carrack_last_error());
  printf("%" PRId64 " records, status %d\n", records, status);
  return carrack_leave(worker);
}
