#include "trainer/library/carrack.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/machine/environment.h"
#include "trainer/library/joined_worker.h"
#include "trainer/library/stored_tensors.h"
#include "trainer/loop/roles/role.h"
#include "trainer/loop/setup/feature_values.h"
#include "trainer/process/process.h"

using namespace carrack;
using train::Exit;

struct carrack_columns {
  std::shared_ptr<const data::Batch> batch;
};

namespace {

// A column of a batch. Owns the name and shape to which the program has pointers.
struct Column {
  std::string name;
  std::vector<std::int64_t> shape;  // the first dimension counts the records
  std::size_t row_size;
};

}  // namespace

// The library never destroys a worker, because it cannot know whether another thread is about to call a function of the
// worker. That wastes little memory: a process has only one worker.
struct carrack_worker {
  carrack_worker(const train::Environment& environment, std::chrono::seconds compute_within)
      : joined(environment, compute_within) {}

  train::JoinedWorker joined;
  std::vector<std::vector<std::int64_t>> shapes = {};  // shapes of the model's tensors
  std::vector<carrack_tensor> tensors = {};
  std::vector<Column> columns = {};
  std::optional<train::Exchange::Work> work = {};
  std::vector<carrack_column> columns_of_work = {};
  std::mutex in_call = {};  // locked by the thread that is in a function
};

struct carrack_checkpoint {
  carrack_checkpoint(const std::string& path, const data::Storages& storages) : stored(path, storages) {}

  train::StoredTensors stored;
  std::vector<carrack_stored_tensor> tensors = {};
};

namespace {

constexpr std::int64_t step_seconds_default = 1800;
constexpr std::int64_t step_seconds_max = 365 * 86'400;
thread_local std::string last_error;
// The exit code for the last carrack_join() that failed.
std::atomic<int> failed_join_exit_code = static_cast<int>(Exit::user_error);
// True while a carrack_join() is under way, and for ever once one has succeeded.
std::atomic<bool> has_joined = false;

carrack_status failed(carrack_status status, std::string text) {
  last_error = std::move(text);
  return status;
}

// Turns exceptions into a status, because no exception may leave a function of the library.
template <class Function>
carrack_status guarded(Function function) {
  try {
    return function();
  } catch (const std::exception& error) {
    return failed(CARRACK_FAILED, error.what());
  }
}

// Calls the function, unless another thread is in a function of this worker: then returns CARRACK_MISUSE.
template <class Function>
carrack_status alone(carrack_worker* worker, const char* name, Function function) {
  const std::unique_lock lock(worker->in_call, std::try_to_lock);
  if (lock.owns_lock()) return guarded(function);
  return failed(CARRACK_MISUSE, std::string(name) +
                                    ": another thread is in a function of this worker; call them from one thread at a "
                                    "time");
}

void describe_model(carrack_worker& worker) {
  const auto& placed = worker.joined.layout().tensors();
  for (const train::PlacedTensor& tensor : placed) worker.shapes.push_back(tensor.shape);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    worker.tensors.push_back({placed[i].name.c_str(), worker.shapes[i].size(), worker.shapes[i].data(),
                              placed[i].range.begin, placed[i].range.size(), placed[i].own_rate ? 0 : 1});
  }
  for (const train::Feature& feature : worker.joined.features()) {
    Column column{feature.name, train::shape_of(feature), static_cast<std::size_t>(feature.size)};
    column.shape.insert(column.shape.begin(), 0);
    worker.columns.push_back(std::move(column));
  }
}

carrack_status status_of(const train::Exchange::Ended& ended) {
  if (ended.exit == Exit::succeeded) return CARRACK_DONE;
  if (ended.exit == Exit::drained) return CARRACK_LEAVE;
  return failed(CARRACK_FAILED, ended.text);
}

void describe(carrack_worker& worker, carrack_batch& batch) {
  const train::Exchange::Work& work = *worker.work;
  const data::Range rows = work.rows.rows;
  worker.columns_of_work.clear();
  for (std::size_t i = 0; i < worker.columns.size(); ++i) {
    Column& column = worker.columns[i];
    column.shape.front() = static_cast<std::int64_t>(rows.size());
    const auto values =
        train::rows_of(train::feature_values(work.rows.batch->rows.column(column.name)), rows, column.row_size);
    const auto* floats = std::get_if<std::span<const float>>(&values);
    const void* begin = floats != nullptr ? static_cast<const void*>(floats->data())
                                          : std::get<std::span<const std::int64_t>>(values).data();
    worker.columns_of_work.push_back({column.name.c_str(), floats != nullptr ? CARRACK_FLOAT32 : CARRACK_INT64,
                                      column.shape.size(), column.shape.data(), begin});
  }
  batch = {.step = work.rows.step,
           .records = static_cast<std::int64_t>(rows.size()),
           .column_count = worker.columns_of_work.size(),
           .columns = worker.columns_of_work.data(),
           .parameters = work.parameters->data(),
           .gradients = work.gradient->data()};
}

train::Exchange::Clock::time_point deadline_in(std::int64_t milliseconds) {
  using Clock = train::Exchange::Clock;
  constexpr std::int64_t day = 86'400'000;
  // A negative timeout means no limit: next() then waits for a day, again and again.
  return Clock::now() + std::chrono::milliseconds(milliseconds < 0 ? day : std::min(milliseconds, day));
}

carrack_status next(carrack_worker& worker, std::int64_t timeout_ms, carrack_batch& batch) {
  if (worker.work) {
    return failed(CARRACK_MISUSE,
                  "carrack_next: the gradients of the batch before are not pushed; call carrack_push once for each "
                  "batch");
  }
  while (true) {
    auto found = worker.joined.next(deadline_in(timeout_ms));
    if (const auto* ended = std::get_if<train::Exchange::Ended>(&found)) return status_of(*ended);
    if (auto* work = std::get_if<train::Exchange::Work>(&found)) {
      worker.work = std::move(*work);
      describe(worker, batch);
      return CARRACK_OK;
    }
    if (timeout_ms >= 0) return CARRACK_TIMEOUT;
  }
}

carrack_status push(carrack_worker& worker, std::int64_t records, double loss) {
  if (!worker.work) {
    return failed(CARRACK_MISUSE,
                  "carrack_push: there is no batch to push gradients of; each is pushed once, and carrack_next gives "
                  "the next one");
  }
  const auto expected = static_cast<std::int64_t>(worker.work->rows.rows.size());
  if (records != expected) {
    return failed(CARRACK_MISUSE, "carrack_push: the batch has " + std::to_string(expected) + " records, and " +
                                      std::to_string(records) + " are pushed; push the sum over all of them");
  }
  worker.work.reset();  // from now on only the worker's own thread may use the gradient
  worker.joined.push(loss);
  return CARRACK_OK;
}

int code_of(const carrack_worker& worker) {
  const auto ended = worker.joined.ended();
  return static_cast<int>(ended ? ended->exit : Exit::drained);
}

}  // namespace

const char* carrack_last_error(void) {
  return last_error.c_str();
}

carrack_status carrack_join(const carrack_options* options, carrack_worker** worker) {
  *worker = nullptr;
  // A second worker of this process would have the same index and incarnation. Each of the two would replace the
  // other's streams, again and again, so no step would be completed.
  if (has_joined.exchange(true)) {
    failed_join_exit_code = static_cast<int>(Exit::user_error);
    return failed(
        CARRACK_MISUSE,
        "carrack_join: this process has joined its job before; a process joins once, so use the first worker");
  }
  const std::int64_t seconds = options != nullptr ? options->step_seconds : 0;
  try {
    const std::chrono::seconds within(seconds > 0 ? std::min(seconds, step_seconds_max) : step_seconds_default);
    auto joined = std::make_unique<carrack_worker>(data::environment_of_this_process(), within);
    describe_model(*joined);
    *worker = joined.release();
    return CARRACK_OK;
  } catch (const std::exception& error) {
    failed_join_exit_code = static_cast<int>(train::exit_for(error));
    has_joined = false;
    return failed(CARRACK_FAILED, error.what());
  }
}

const carrack_tensor* carrack_tensors(const carrack_worker* worker, size_t* count) {
  *count = worker->tensors.size();
  return worker->tensors.data();
}

carrack_status carrack_next(carrack_worker* worker, int64_t timeout_ms, carrack_batch* batch) {
  return alone(worker, "carrack_next", [&] { return next(*worker, timeout_ms, *batch); });
}

carrack_status carrack_push(carrack_worker* worker, int64_t records, double loss) {
  return alone(worker, "carrack_push", [&] { return push(*worker, records, loss); });
}

carrack_columns* carrack_hold_columns(carrack_worker* worker) {
  carrack_columns* held = nullptr;
  alone(worker, "carrack_hold_columns", [&] {
    if (worker->work) held = new carrack_columns{worker->work->rows.batch};
    return CARRACK_OK;
  });
  return held;
}

void carrack_release_columns(carrack_columns* columns) {
  delete columns;
}

void carrack_request_leave(carrack_worker* worker) {
  worker->joined.request_leave();
}

int carrack_exit_code(const carrack_worker* worker) {
  return worker != nullptr ? code_of(*worker) : failed_join_exit_code.load();
}

int carrack_leave(carrack_worker* worker) {
  worker->joined.leave();  // makes a carrack_next() of another thread return
  const std::lock_guard lock(worker->in_call);
  worker->joined.wait_for_end(train::worker_leaves_within);
  return code_of(*worker);
}

carrack_status carrack_open_checkpoint(const char* path, carrack_checkpoint** checkpoint) {
  *checkpoint = nullptr;
  return guarded([&] {
    const auto context = train::context_from(data::environment_of_this_process(), nullptr, [] { return false; });
    auto opened = std::make_unique<carrack_checkpoint>(path, context.storages);
    for (const train::StoredTensor& tensor : opened->stored.all()) {
      opened->tensors.push_back({tensor.name.c_str(), tensor.type.c_str(), tensor.shape.size(), tensor.shape.data(),
                                 tensor.bytes, tensor.is_state ? 1 : 0});
    }
    *checkpoint = opened.release();
    return CARRACK_OK;
  });
}

const carrack_stored_tensor* carrack_checkpoint_tensors(const carrack_checkpoint* checkpoint, size_t* count) {
  *count = checkpoint->tensors.size();
  return checkpoint->tensors.data();
}

carrack_status carrack_read_tensor(const carrack_checkpoint* checkpoint, size_t tensor, void* values) {
  return guarded([&] {
    const train::StoredTensor& stored = checkpoint->stored.all().at(tensor);
    checkpoint->stored.read(stored, {static_cast<std::byte*>(values), stored.bytes});
    return CARRACK_OK;
  });
}

void carrack_close_checkpoint(carrack_checkpoint* checkpoint) {
  delete checkpoint;
}
