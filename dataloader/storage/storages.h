// Which storage a URL belongs to. One value of it is made by each main, which reads the environment.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "dataloader/storage/backoff.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

struct StorageSettings {
  // STORAGE_EMULATOR_HOST as it stands in the environment; empty if it is not set.
  std::string gcs_emulator;
  // Random, different in each process: parts of names of temporary files, and jitter.
  std::uint64_t nonce = 0;
  Sleeper sleep = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); };
  RetryLimits retries;
};

class Storages {
 public:
  explicit Storages(const StorageSettings& settings);
  ~Storages();
  Storages(const Storages&) = delete;
  Storages& operator=(const Storages&) = delete;

  // Lives as long as this. Throws Error for a URL that nothing here can reach.
  Storage& for_url(const std::string& url) const;

 private:
  std::unique_ptr<Storage> file_;
  std::unique_ptr<Storage> gcs_;  // With an emulator only.
};

}  // namespace carrack::data
