// What the main of a process passes to the role that it runs, besides the launch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dataloader/storage/storages.h"

namespace carrack::train {

struct RoleContext {
  const data::Storages& storages;
  std::string key;    // of the run; the same in all processes of the job
  std::string nonce;  // different in each process
  // Returns true once a clean shutdown of the process was requested, and from then on. Called by any thread.
  std::function<bool()> shutdown_requested;
  // Called repeatedly by a coordinator, with true if all workers have left and all that can be committed is.
  std::function<void(bool)> report_drained = [](bool) {};
  std::uint64_t memory = ~std::uint64_t{0};  // bytes that this process may use
  unsigned cpus = 1;                         // that this process may use
  std::string index_cache = {};              // a local folder for indexes; empty: none
  // Writes a line for people to the process's log. Called by any thread.
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

}  // namespace carrack::train
