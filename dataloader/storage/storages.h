// Which storage a URL belongs to. One value of it is made by each main, which reads the environment.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "dataloader/storage/gcs/gcs_client.h"
#include "dataloader/storage/remote/backoff.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

struct StorageSettings {
  // STORAGE_EMULATOR_HOST as it stands in the environment; empty if it is not set. An emulator gets no token.
  std::string gcs_emulator;
  // CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE, likewise: where Google Cloud Storage is reached, if not at its own
  // address.
  std::string gcs_endpoint;
  // Where HTTPS_PROXY and NO_PROXY stand.
  std::map<std::string, std::string> environment;
  // For Google Cloud Storage; none: what everybody may read, and no more.
  TokenSource gcs_token;
  // Random, different in each process: parts of names of temporary files, and jitter.
  std::uint64_t nonce = 0;
  Sleeper sleep;  // None: time is waited for as it passes.
  RetryLimits retries;
  // Bytes that the process may use. A part of it is for what is read ahead.
  std::uint64_t memory = std::uint64_t{2} << 30;
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
  const StorageSettings settings_;
  std::unique_ptr<Storage> file_;
  mutable std::once_flag gcs_asked_for_;  // Who has no use for it need not have an address for it.
  mutable std::unique_ptr<Storage> gcs_;
};

}  // namespace carrack::data
