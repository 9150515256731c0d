// Notices when a part of a process hangs, for instance in a read from a volume that never returns, while the rest of
// the process, its Alive messages and /healthz go on. Nothing can end such work but the end of the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "dataloader/mutex.h"

namespace carrack::train {

// All functions are thread-safe. Must outlive all Work.
class Watchdog {
 public:
  // A piece of work, and the time after which it is considered to hang.
  struct Limit {
    std::string work;  // such as "saving to gs://bucket/job"
    std::chrono::seconds time;
    std::string advice = {};  // follows the sentence that says what hangs, such as "check that the disk is mounted"
  };

  // `report` is called at most once, on a thread of this object, with a sentence such as "saving to gs://bucket/job has
  // not ended within 900 s". It should end the process, and must not be empty. Time is counted by `second`, so time in
  // which the whole process stands still, for instance after SIGSTOP, does not count. Tests pass a shorter `second`.
  explicit Watchdog(std::function<void(const std::string&)> report,
                    std::chrono::milliseconds second = std::chrono::seconds(1));
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Work that is under way from the construction of this object to its destruction.
  class Work {
   public:
    Work(Watchdog& watchdog, Limit limit);
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    // Counts the time of the work from 0 again, because the work has made progress.
    void goes_on();
    // Ends the work before the destruction of this object. After that goes_on() has no effect.
    void end();

   private:
    friend class Watchdog;

    Watchdog& watchdog_;
    const Limit limit_;
    std::chrono::seconds taken_{0};  // guarded by watchdog_.mutex_
  };

 private:
  void watch();

  const std::function<void(const std::string&)> report_;
  const std::chrono::milliseconds second_;
  Mutex mutex_;
  ConditionVariable wake_;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::vector<Work*> under_way_ GUARDED_BY(mutex_);
  std::thread thread_;  // last: it uses all of the above
};

// The limits of work with a storage. They are generous, because work that is only slow must not be given up. `work` is
// as in Limit::work.
//
// For work that calls goes_on() for each piece that it reads or writes, of at most `bytes` bytes: 15 minutes, and a
// second for each MiB.
Watchdog::Limit limit_of_large_files(const std::string& work, std::uint64_t bytes);
// For work of a few requests for small files, and for work that calls goes_on() after each few of them: 90 minutes.
Watchdog::Limit limit_of_small_files(const std::string& work);
// The limits of what a process does before its role handles messages, and of the destruction of the role, which waits
// for its threads. Both are those of small files.
Watchdog::Limit limit_of_start();
Watchdog::Limit limit_of_end();

// The limit of the handling of messages by the thread that runs a role: 5 minutes.
Watchdog::Limit limit_of_messages();

}  // namespace carrack::train
