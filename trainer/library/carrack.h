/* libcarrack: programs that compute the gradients of a model themselves, as workers of a TrainingJob whose
 * `spec.model.kind` is Own. Coordinator, parameter servers, data and checkpoints are Carrack's.
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
 * The functions never throw, and never end the process, but for a program that hangs (carrack_options). One thread at a
 * time may be in a function of a worker; another one gets CARRACK_MISUSE. Any thread may call carrack_exit_code(),
 * carrack_leave() and carrack_request_leave() at any time, the last also in a signal handler.
 *
 * The process must not fork once it has joined: the library's threads are not in the child. Threads that the library
 * starts block all signals. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CARRACK_EXPORT __attribute__((visibility("default")))

/* What functions return. With the last two, carrack_last_error() says more. */
typedef enum {
  CARRACK_OK = 0,
  CARRACK_TIMEOUT = 1, /* there was no batch in that time */
  CARRACK_DONE = 2,    /* the job is done */
  CARRACK_LEAVE = 3,   /* this worker has left the job, as it was asked to, by SIGTERM or carrack_request_leave() */
  CARRACK_FAILED = 4,  /* this worker has failed */
  CARRACK_MISUSE = 5   /* the program has called the library as it must not; nothing has changed */
} carrack_status;

/* Why the last call on this thread that failed did so, as one line; valid until the next call on this thread. */
CARRACK_EXPORT const char* carrack_last_error(void);

typedef struct carrack_worker carrack_worker;

typedef struct {
  /* The program has so long from when a batch is there for it until it has pushed its gradients. After that it is taken
   * to hang: the worker fails, so that others compute the batch, and 5 seconds later, unless the program has called
   * carrack_next(), carrack_push() or carrack_leave(), the library ends the process with exit code 82. 0 or less:
   * 1,800. The coordinator does not take the worker for hung meanwhile (docs/reference/own_workers.md). */
  int64_t step_seconds;
} carrack_options;

/* Joins the job that the environment describes (docs/formats/launch.md), as the worker that it names. Returns once the
 * configuration is read; a thread of the library then finds the data and the other members. `options` may be null.
 * CARRACK_FAILED: `*worker` is null. To be called once in a process. */
CARRACK_EXPORT carrack_status carrack_join(const carrack_options* options, carrack_worker** worker);

/* A tensor of the model: `elements` values from `offset` on, in row-major order, in the buffers of parameters and
 * gradients. */
typedef struct {
  const char* name;
  size_t rank;
  const int64_t* shape;
  int64_t offset;
  int64_t elements;
  int trained; /* 0: each update sets it to the mean, by records, of what the workers push for it */
} carrack_tensor;

/* The tensors of the model, in the order of the manifest, valid to the end of the process. `*count` is their number. */
CARRACK_EXPORT const carrack_tensor* carrack_tensors(const carrack_worker* worker, size_t* count);

typedef enum { CARRACK_FLOAT32 = 1, CARRACK_INT64 = 2 } carrack_type;

/* A feature of spec.data of all records of a batch, in row-major order. The first dimension is the records. */
typedef struct {
  const char* name;
  carrack_type type;
  size_t rank;
  const int64_t* shape;
  const void* values;
} carrack_column;

/* All pointers are valid until carrack_push(); those of the columns also as long as they are held. */
typedef struct {
  uint64_t step;   /* the number of the batch, from 0; with Sync several workers have parts of it */
  int64_t records; /* at least 1 */
  size_t column_count;
  const carrack_column* columns;
  const float* parameters;
  float* gradients; /* zeros. To be filled with the sum over the records of the gradients of trained tensors, and with
                     * `records` times the value of the others */
} carrack_batch;

/* Waits for the next batch of this worker, and returns CARRACK_OK with it in `*batch`; CARRACK_TIMEOUT if there is none
 * in `timeout_ms` milliseconds, which are for ever if negative. CARRACK_DONE, CARRACK_LEAVE and CARRACK_FAILED are the
 * end: each later call returns the same. CARRACK_MISUSE if the batch before is not pushed. */
CARRACK_EXPORT carrack_status carrack_next(carrack_worker* worker, int64_t timeout_ms, carrack_batch* batch);

/* Sends the gradients of the batch. `records` must be those of the batch, and `loss` the sum of their losses; a loss
 * that is not finite ends the job, as Diverged. CARRACK_MISUSE if there is no batch, or if it has other records. What
 * is pushed counts once it is in a checkpoint, and exactly once then; a batch that has become of no use meanwhile is
 * dropped, with CARRACK_OK. */
CARRACK_EXPORT carrack_status carrack_push(carrack_worker* worker, int64_t records, double loss);

/* The columns of the present batch stay valid until carrack_release_columns(). Null if there is no batch. */
typedef struct carrack_columns carrack_columns;
CARRACK_EXPORT carrack_columns* carrack_hold_columns(carrack_worker* worker);
/* Any thread may call it. */
CARRACK_EXPORT void carrack_release_columns(carrack_columns* columns);

/* Asks the worker to leave the job: the batch that the program has is still pushed, within 15 seconds, and then
 * carrack_next() returns CARRACK_LEAVE. A handler of SIGTERM should call it. */
CARRACK_EXPORT void carrack_request_leave(carrack_worker* worker);

/* The code with which the process should exit, as docs/formats/launch.md has them: 0 if the job is done, 80 if the
 * worker has left, and while it has not ended, 81 to 85 if it failed. `worker` may be null: as the last carrack_join()
 * has failed. */
CARRACK_EXPORT int carrack_exit_code(const carrack_worker* worker);

/* Leaves the job if it is not done, and returns the exit code of the worker. A batch that is not pushed goes to another
 * worker. It takes a few seconds, and up to 20 if storage does not answer. It may be called while another thread is in
 * a function of the worker: carrack_next() then returns CARRACK_LEAVE there. Connections and threads end; what the
 * program has pointers to stays, the worker too, so each later call returns how the job ended. */
CARRACK_EXPORT int carrack_leave(carrack_worker* worker);

/* A checkpoint, to read tensors from. Needs no job, and no worker. */
typedef struct carrack_checkpoint carrack_checkpoint;

typedef struct {
  const char* name;
  const char* type; /* "float32" */
  size_t rank;
  const int64_t* shape;
  uint64_t bytes;
  int is_state; /* 0: a parameter of the model; 1: of the state of the optimizer */
} carrack_stored_tensor;

/* `path` is the checkpoint folder of a job, whose last commit is read, its BEST, or the manifest of a checkpoint; a
 * path or a URL. CARRACK_FAILED: `*checkpoint` is null. */
CARRACK_EXPORT carrack_status carrack_open_checkpoint(const char* path, carrack_checkpoint** checkpoint);
/* The tensors, sorted by name: the parameters of the model, and the state of the optimizer. Valid until it is closed.
 */
CARRACK_EXPORT const carrack_stored_tensor* carrack_checkpoint_tensors(const carrack_checkpoint* checkpoint,
                                                                       size_t* count);
/* Reads the tensor of that number into `values`, which has room for its bytes. */
CARRACK_EXPORT carrack_status carrack_read_tensor(const carrack_checkpoint* checkpoint, size_t tensor, void* values);
/* May be null. */
CARRACK_EXPORT void carrack_close_checkpoint(carrack_checkpoint* checkpoint);

#ifdef __cplusplus
}
#endif
