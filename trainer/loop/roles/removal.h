// Removal: removes old checkpoints from a job's checkpoint folder after each commit, in the coordinator, on a separate
// thread, so that neither a commit nor the end of the process waits for slow storage. A failure does not end the job:
// take_refusal() reports the first one, and the next commit tries again.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/mutex.h"
#include "trainer/loop/storage/commit_store.h"

namespace carrack::train {

// Use it on one thread. The destructor stops the removal: it waits for the file that is being removed, but at most for
// `patience`, because requests to a storage that does not answer are repeated for minutes. If that is not enough, the
// removing thread outlives this object, and may run until the process ends.
class Removal {
 public:
  // The function that does the work, such as CommitStore::remover(). It removes all checkpoints that are not needed,
  // and returns early once `go_on` returns false. It may throw data::Error if the storage fails; any other exception
  // ends the process. It runs on the separate thread, one call at a time, and possibly after this object is destroyed:
  // it must own what it uses, or use what lives as long as the process. Must not be empty.
  using Remove = std::function<void(const NeededCheckpoints& needed, const std::function<bool()>& go_on)>;

  static constexpr auto patience = std::chrono::seconds(1);

  explicit Removal(Remove remove) : state_(std::make_shared<State>(std::move(remove))) {}
  ~Removal() {
    MutexLock lock(state_->mutex);
    state_->ending = true;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (state_->under_way && state_->changed.wait_until(lock, deadline) != std::cv_status::timeout) {
    }
  }
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;

  // Starts a removal and returns immediately. If one is under way, the new one starts after it, and replaces another
  // one that waits.
  void begin(NeededCheckpoints needed) {
    const MutexLock lock(state_->mutex);
    state_->next = std::move(needed);
    if (std::exchange(state_->under_way, true)) return;
    std::thread([state = state_] { work(*state); }).detach();
  }

  // True if a removal runs or waits.
  bool is_under_way() const {
    const MutexLock lock(state_->mutex);
    return state_->under_way;
  }

  // Returns the message of the first data::Error of all removals, for the log: once, in the first call after the error.
  // All other calls return nullopt.
  std::optional<std::string> take_refusal() {
    const MutexLock lock(state_->mutex);
    if (!state_->refusal || std::exchange(state_->refusal_taken, true)) return std::nullopt;
    return state_->refusal;
  }

 private:
  struct State {
    explicit State(Remove one) : call(std::move(one)) {}

    const Remove call;
    Mutex mutex;
    ConditionVariable changed;
    std::optional<NeededCheckpoints> next GUARDED_BY(mutex);
    std::optional<std::string> refusal GUARDED_BY(mutex);  // the first refusal
    bool refusal_taken GUARDED_BY(mutex) = false;
    bool under_way GUARDED_BY(mutex) = false;
    bool ending GUARDED_BY(mutex) = false;
  };

  static void work(State& state) {
    while (const std::optional<NeededCheckpoints> needed = next(state)) {
      try {
        state.call(*needed, [&state] {
          const MutexLock lock(state.mutex);
          return !state.ending;
        });
      } catch (const data::Error& error) {
        const MutexLock lock(state.mutex);
        if (!state.refusal) state.refusal = error.what();
      }
    }
  }

  // Returns nullopt if there is nothing to do; the thread then ends.
  static std::optional<NeededCheckpoints> next(State& state) {
    const MutexLock lock(state.mutex);
    std::optional<NeededCheckpoints> needed = std::exchange(state.next, std::nullopt);
    if (state.ending) needed.reset();
    state.under_way = needed.has_value();
    if (!state.under_way) state.changed.notify_all();
    return needed;
  }

  std::shared_ptr<State> state_;  // shared with the thread, which may outlive this
};

}  // namespace carrack::train
