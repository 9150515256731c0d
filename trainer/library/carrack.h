/* libcarrack: for programs that compute the gradients of a model themselves, as workers of a TrainingJob whose
 * `spec.model.kind` is Own. Carrack provides coordinator, parameter servers, data and checkpoints.
 *
 * A program that runs as the container `trainer` of `spec.replicas.worker` is a loop:
 *
 *   carrack_worker* worker;
 *   if (carrack_join(NULL, &worker) != CARRACK_OK) {
 *     fprintf(stderr, "%s\n", carrack_last_error());
 *     return carrack_exit_code(NULL);
 *   }
 *   carrack_batch batch;
 *   while (carrack_next(worker, -1, &batch) == CARRACK_OK) {
 *     double loss = compute(&batch);  // reads batch.columns and batch.parameters, adds to batch.gradients
 *     if (carrack_push(worker, batch.records, loss) != CARRACK_OK) break;
 *   }
 *   return carrack_leave(worker);
 *
 * The functions never throw, and end the process only if the program hangs (carrack_options), or if a thread of the
 * library hangs, for 5 minutes or while it waits for storage for 90, and the program then makes no call for 5 seconds.
 * One thread at a time may be in a function of a worker; a second one gets CARRACK_MISUSE. But any thread may call
 * carrack_exit_code(), carrack_leave() and carrack_request_leave() at any time, and a signal handler may call the last
 * one.
 *
 * The process must not fork after carrack_join(), since the child would lack the library's threads. These threads block
 * all signals. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CARRACK_EXPORT __attribute__((visibility("default")))

/* What functions return. After CARRACK_FAILED and CARRACK_MISUSE, carrack_last_error() says more. */
typedef enum {
  CARRACK_OK = 0,
  CARRACK_TIMEOUT = 1, /* no batch came within the time */
  CARRACK_DONE = 2,    /* the job is done */
  CARRACK_LEAVE = 3,   /* this worker has left the job, after carrack_request_leave() or carrack_leave() */
  CARRACK_FAILED = 4,  /* this worker, or the call, has failed */
  CARRACK_MISUSE = 5   /* the program must not make this call now; the call had no effect */
} carrack_status;

/* The message of the last call on this thread that failed, as one line; empty if none has failed. Valid until the next
 * call of a function of this library on this thread. */
CARRACK_EXPORT const char* carrack_last_error(void);

typedef struct carrack_worker carrack_worker;

typedef struct {
  /* The time in seconds that the program has for a batch, from when it is ready for carrack_next() until its
   * carrack_push(); 0 or less: 1,800. After that the program is considered hung. The worker fails, so that other
   * workers compute the batch. If the program then calls none of carrack_next(), carrack_push() and carrack_leave() for
   * 5 seconds, the library ends the process with exit code 82. Until then the coordinator does not consider the worker
   * hung (docs/reference/own_workers.md). */
  int64_t step_seconds;
} carrack_options;

/* Joins the job that the environment describes (docs/formats/launch.md), as the worker that it names. Returns once it
 * has read the configuration; a thread of the library then opens the data and connects to the other members. `options`
 * may be null, and is copied. `*worker` is null unless the result is CARRACK_OK. A process may join once: after
 * CARRACK_OK each later call returns CARRACK_MISUSE, also after carrack_leave(). After CARRACK_FAILED it may try again.
 */
CARRACK_EXPORT carrack_status carrack_join(const carrack_options* options, carrack_worker** worker);

/* A tensor of the model: `elements` values, in row-major order, from element `offset` of the parameters and of the
 * gradients on. */
typedef struct {
  const char* name;
  size_t rank;
  const int64_t* shape;
  int64_t offset;
  int64_t elements;
  /* 1: it is trained by its gradient. 0: each update sets it to the mean, over the records, of what workers push. */
  int trained;
} carrack_tensor;

/* The tensors of the model, in the order of the manifest. Sets `*count` to their number. Valid until the
 * process ends. */
CARRACK_EXPORT const carrack_tensor* carrack_tensors(const carrack_worker* worker, size_t* count);

typedef enum { CARRACK_FLOAT32 = 1, CARRACK_INT64 = 2 } carrack_type;

/* The values of one feature of spec.data for all records of a batch, in row-major order. The first dimension counts
 * the records. */
typedef struct {
  const char* name;
  carrack_type type;
  size_t rank;
  const int64_t* shape;
  const void* values;
} carrack_column;

/* A part of a batch, for this worker. All pointers are valid until carrack_push(). After carrack_hold_columns(),
 * `values` of the columns stay valid longer. */
typedef struct {
  uint64_t step;   /* the number of the batch, from 0; with Sync each worker gets a part of it */
  int64_t records; /* number of records in this part; at least 1 */
  size_t column_count;
  const carrack_column* columns;
  const float* parameters;
  float* gradients; /* zeros at first. For a trained tensor, write the sum of its gradients over the records here; for
                     * another tensor, `records` times its value */
} carrack_batch;

/* Waits for the next batch of this worker. Returns CARRACK_OK with the batch in `*batch`, or CARRACK_TIMEOUT if none
 * came within `timeout_ms` milliseconds. More than one day counts as one day; a negative `timeout_ms` is no limit.
 * CARRACK_DONE, CARRACK_LEAVE and CARRACK_FAILED are final: each later call returns the same. CARRACK_MISUSE: the
 * previous batch was not pushed. */
CARRACK_EXPORT carrack_status carrack_next(carrack_worker* worker, int64_t timeout_ms, carrack_batch* batch);

/* Sends the gradients of the batch. `records` must be the number of its records, and `loss` the sum of their losses; a
 * loss that is not finite ends the job, as Diverged. CARRACK_MISUSE: there is no batch, or it has another number of
 * records. The gradients are durable, and count exactly once, when they are in a checkpoint. Returns
 * CARRACK_OK even if the batch is not needed any more and its gradients are dropped. */
CARRACK_EXPORT carrack_status carrack_push(carrack_worker* worker, int64_t records, double loss);

/* Keeps `values` of the current batch's columns valid until carrack_release_columns(). Returns null if there is no
 * batch, or if another thread is in a function of the worker. */
typedef struct carrack_columns carrack_columns;
CARRACK_EXPORT carrack_columns* carrack_hold_columns(carrack_worker* worker);
/* Any thread may call it, once for each result of carrack_hold_columns(). `columns` may be null. */
CARRACK_EXPORT void carrack_release_columns(carrack_columns* columns);

/* Asks the worker to leave the job. The program may still push its current batch, within 15 seconds; then
 * carrack_next() returns CARRACK_LEAVE. A handler of SIGTERM should call this. `worker` must not be null, so install
 * the handler after carrack_join(). */
CARRACK_EXPORT void carrack_request_leave(carrack_worker* worker);

/* The code with which the process should exit (docs/formats/launch.md): 0 if the job is done, 81 to 85 if the worker
 * has failed, and 80 if it has left or has not ended yet. If `worker` is null, the code is for the last carrack_join()
 * that failed. */
CARRACK_EXPORT int carrack_exit_code(const carrack_worker* worker);

/* Leaves the job if it is not done, and returns the exit code of the worker. Another worker computes a batch that was
 * not pushed. Takes a few seconds, and up to 20 if the storage does not answer. It may be called while another thread
 * is in a function of the worker; carrack_next() then returns CARRACK_LEAVE there. Connections and threads end, but all
 * memory to which the program has pointers stays valid. So does the worker: later calls return how the job ended.
 * But once carrack_next() has returned CARRACK_LEAVE, it always does. */
CARRACK_EXPORT int carrack_leave(carrack_worker* worker);

/* A checkpoint whose tensors can be read. Needs no job and no worker. Several threads may read from it at the same
 * time; none may use it any more when it is closed. */
typedef struct carrack_checkpoint carrack_checkpoint;

typedef struct {
  const char* name;
  const char* type; /* such as "float32" */
  size_t rank;
  const int64_t* shape;
  uint64_t bytes; /* the size of its values */
  int is_state;   /* 0: a parameter of the model; 1: state of the optimizer */
} carrack_stored_tensor;

/* Opens a checkpoint. `path` is the path or URL of a job's checkpoint folder, whose last commit is read, of its file
 * BEST, which names the checkpoint with the lowest loss in evaluation, or of the manifest of a checkpoint. After
 * CARRACK_FAILED `*checkpoint` is null. */
CARRACK_EXPORT carrack_status carrack_open_checkpoint(const char* path, carrack_checkpoint** checkpoint);
/* The tensors, sorted by name: the parameters of the model and the state of the optimizer. Sets `*count` to their
 * number. Valid until the checkpoint is closed. */
CARRACK_EXPORT const carrack_stored_tensor* carrack_checkpoint_tensors(const carrack_checkpoint* checkpoint,
                                                                       size_t* count);
/* Reads the tensor with index `tensor` in carrack_checkpoint_tensors() into `values`, which must have room for its
 * `bytes`. */
CARRACK_EXPORT carrack_status carrack_read_tensor(const carrack_checkpoint* checkpoint, size_t tensor, void* values);
/* `checkpoint` may be null. */
CARRACK_EXPORT void carrack_close_checkpoint(carrack_checkpoint* checkpoint);

#ifdef __cplusplus
}
#endif
