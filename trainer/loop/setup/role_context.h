// RoleContext: what a role (coordinator, parameter server or worker) gets from the process in which it runs: access to
// storage, limits of memory and CPUs, and callbacks. What the operator passes to a process is in the Launch instead.
// process/process.h makes the context of a real process; tests make their own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dataloader/storage/storages.h"

namespace carrack::train {

class Key;
class RowGradients;

// The functions must not be empty.
struct RoleContext {
  // Must outlive the role, and also a removal of old checkpoints that may continue after the role (roles/removal.h).
  const data::Storages& storages;
  std::shared_ptr<const Key> key;  // by which the job's processes authenticate; null if the job has only this process
  std::string nonce;               // different in each process, so that it recognises its own writes of HEAD
  // Returns true once the role shall leave: after a request to shut down the process cleanly, as by SIGTERM. Required.
  // Called on the threads that open and run the role. With strategy Single that may be two threads at the same time,
  // and OneProcess (roles/one_process.h) passes each role a function of its own.
  std::function<bool()> shutdown_requested;
  // A coordinator calls it several times a second, on the thread that runs the role. True: the job has ended, or all
  // servers but no worker are connected (perhaps none has been yet), and nothing can be committed before one connects.
  // Only OneProcess sets it: its coordinator leaves after a shutdown request unless its last report was false.
  std::function<void(bool)> report_drained = [](bool) {};
  // A coordinator calls it once when it ends, also after a failure, with its progress as JSON; not if it ends before it
  // has begun to run (open_coordinator() in roles/role_loop.h). It must not throw.
  std::function<void(const std::string&)> report_end = [](const std::string&) {};
  std::uint64_t memory = ~std::uint64_t{0};  // number of bytes that this process may use
  bool one_process = false;                  // all roles of the job share this process and its memory
  unsigned cpus = 1;                         // number of CPUs that this process may use
  std::string index_cache = {};              // path of a local folder in which to cache indexes; empty: no cache
  // Returns the time in seconds since 1970, for the history of the job (roles/run_history.h).
  std::function<double()> unix_seconds = [] { return 0.0; };
  // For a worker: the user's program that computes the gradients; null: the trainer computes them.
  std::shared_ptr<RowGradients> program = {};
  // Called at most once, on a thread of its own, if a part of the role hangs, with a sentence that says which. It
  // should end the process.
  std::function<void(const std::string&)> report_hang = [](const std::string&) {};
  std::chrono::milliseconds watchdog_second = std::chrono::seconds(1);  // tests shorten it
  // Called by any thread when the work before the role handles messages has made progress, for example has read another
  // index; sometimes also later. run() (roles/role.h) sets it, so that it reports this work only if it hangs.
  std::function<void()> goes_on = [] {};
  // Writes a human-readable line, which has no newline, to the process's log. Any thread may call it.
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

}  // namespace carrack::train
