/* Leaves the job while another thread is in carrack_next(), and uses the worker after that. Prints ok. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "carrack.h"

static carrack_worker* worker;

/* Sets how its carrack_next() has ended. Both functions return CARRACK_MISUSE while the other thread is in one. */
static void* loop(void* ended) {
  carrack_batch batch;
  carrack_status status;
  while ((status = carrack_next(worker, -1, &batch)) == CARRACK_OK || status == CARRACK_MISUSE) {
    while (status == CARRACK_OK && carrack_push(worker, batch.records, 0) == CARRACK_MISUSE) continue;
  }
  *(carrack_status*)ended = status;
  return NULL;
}

static int fail(const char* what) {
  printf("%s\n", what);
  return 1;
}

int main(void) {
  pthread_t thread;
  carrack_status ended;
  carrack_batch batch;
  size_t count;
  if (carrack_join(NULL, &worker) != CARRACK_OK) return fail(carrack_last_error());
  const carrack_tensor* tensors = carrack_tensors(worker, &count);
  if (pthread_create(&thread, NULL, loop, &ended) != 0) return fail("pthread_create");
  /* Each push here is a mistake, but only of another thread's call it says so. */
  do {
    if (carrack_push(worker, 0, 0) != CARRACK_MISUSE) return fail("carrack_push has taken a batch without records");
  } while (strstr(carrack_last_error(), "another thread is in a function") == NULL);
  const int code = carrack_leave(worker);
  pthread_join(thread, NULL);
  if (ended != CARRACK_LEAVE) return fail("carrack_next has not returned CARRACK_LEAVE");
  carrack_request_leave(worker);
  if (carrack_next(worker, -1, &batch) != CARRACK_LEAVE) return fail("carrack_next has given another end");
  carrack_worker* again;
  if (carrack_join(NULL, &again) != CARRACK_MISUSE || again != NULL) return fail("it has joined twice");
  if (strcmp(tensors[0].name, "tally") != 0) return fail("the tensors are gone");
  if (carrack_exit_code(worker) != code || carrack_leave(worker) != code) return fail("there is another code");
  puts("ok");
  return code;
}
