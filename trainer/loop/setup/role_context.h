// What the main of a process hands to the role that it runs, besides the launch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dataloader/storage/storages.h"

namespace carrack::train {

struct RoleContext {
  const data::Storages& storages;
  std::string key;    // Opens the streams of this run.
  std::string nonce;  // New for each process.
  // True once the operator wants this process to end in order; it stays true. Called by any thread.
  std::function<bool()> asked_to_leave;
  // Called again and again by a coordinator, with true once all workers have left and all their work is committed.
  std::function<void(bool)> drained = [](bool) {};
  std::uint64_t memory = ~std::uint64_t{0};  // The memory limit of this process, in bytes.
  unsigned cpus = 1;                         // The CPUs that this process may use.
  std::string index_cache = {};              // A folder of this machine for indexes; empty: none.
  // Writes a line of information; the line may be dropped.
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

}  // namespace carrack::train
