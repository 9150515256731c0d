// What the main of a process passes to the role that it runs, besides the Launch. `storages` must outlive the
// role, and a removal of old checkpoints that it leaves under way if storage does not answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dataloader/storage/storages.h"

namespace carrack::train {

class Key;
class RowGradients;

struct RoleContext {
  const data::Storages& storages;
  std::shared_ptr<const Key> key;  // by which the job's processes know each other; null if there is only this one
  std::string nonce;  // different in each process: distinguishes its writes of HEAD from those of other processes
  // Required. Returns true from the moment a clean shutdown of the process is requested. Any thread may call it.
  std::function<bool()> shutdown_requested;
  // A coordinator calls it again and again. True: no worker is here, perhaps none has come yet, and nothing that is
  // done can be committed before one comes.
  std::function<void(bool)> report_drained = [](bool) {};
  // A coordinator calls it once, as it ends, however it ends, with its progress as JSON. It must not throw.
  std::function<void(const std::string&)> report_end = [](const std::string&) {};
  std::uint64_t memory = ~std::uint64_t{0};  // bytes that this process may use
  bool one_process = false;                  // whether all roles of the job share this process, and its memory
  unsigned cpus = 1;                         // that this process may use
  std::string index_cache = {};              // path of a local folder that caches indexes; empty: no cache
  // The time of day in seconds since 1970, which the history of the job records. Any thread may call it.
  std::function<double()> unix_seconds = [] { return 0.0; };
  // Of a worker: what computes the gradients in place of the trainer, a program of the user's; null: the trainer does.
  std::shared_ptr<RowGradients> program = {};
  // Writes a line for people, without a newline, to the process's log. Any thread may call it.
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

}  // namespace carrack::train
