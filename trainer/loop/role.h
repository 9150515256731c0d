// The roles as functions: each runs until its job is done or it has to end, and returns how it ended.
// A failure that ends the process is thrown as Error; the main turns it into an exit code and a message.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dataloader/storage/storages.h"
#include "trainer/launch.h"

namespace carrack::train {

// What a role is given besides its launch.
struct Surroundings {
  const data::Storages& storages;
  std::string key;    // Opens the streams of this run.
  std::string nonce;  // New for each process.
  // Whether the operator wants this process to end in order; once it does, for ever.
  std::function<bool()> asked_to_leave;
  // Told again and again by a coordinator: whether all workers have left, and all they did is committed.
  std::function<void(bool)> drained = [](bool) {};
  std::uint64_t memory = ~std::uint64_t{0};  // In bytes, of this process.
  unsigned cpus = 1;                         // That this process may use.
  std::string index_cache = {};              // A folder of this machine; empty: none.
  // A line that somebody may want to know, and nobody has to.
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

// What the launch names: one of the roles below, or with strategy Single all three in this process.
Exit run(const Launch& launch, const Surroundings& surroundings);

Exit run_coordinator(const Launch& launch, const Surroundings& surroundings);
Exit run_server(const Launch& launch, const Surroundings& surroundings);
Exit run_worker(const Launch& launch, const Surroundings& surroundings);

}  // namespace carrack::train
