// Storages: finds the storage that a URL belongs to. Each main() makes one, from the environment variables that it
// reads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "dataloader/storage/remote/backoff.h"
#include "dataloader/storage/remote/token_source.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// Settings for gs:// only.
struct GcsSettings {
  std::string emulator;  // the value of STORAGE_EMULATOR_HOST; empty if not set. An emulator gets no token.
  std::string endpoint;  // the value of CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE; empty if not set
  TokenSource token;     // if empty, only public objects can be read
};

struct StorageSettings {
  GcsSettings gcs;
  std::map<std::string, std::string> environment;  // HTTPS_PROXY and NO_PROXY are looked up here
  // Random, different in each process: a part of the names of temporary files, and the seed of the jitter of retries.
  std::uint64_t nonce = 0;
  Sleeper sleep;  // replaces every wait before a retry, for tests; if empty, the thread sleeps
  RetryLimits retries;
  // The memory that the process may use. An eighth of it, but at most 1 GiB, is for reading gs:// ahead.
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;
};

// Safe for many threads.
class Storages {
 public:
  explicit Storages(const StorageSettings& settings);
  ~Storages();
  Storages(const Storages&) = delete;
  Storages& operator=(const Storages&) = delete;

  // The storage lives as long as this object. Throws Refused for a URL whose scheme is unknown, and for gs:// if a
  // setting is malformed.
  Storage& for_url(const std::string& url) const;
  // See Storage::is_remote().
  bool is_remote(const std::string& url) const { return for_url(url).is_remote(); }

 private:
  const StorageSettings settings_;
  const std::unique_ptr<Storage> file_;
  // Made at the first gs:// URL, so that a malformed setting is an error only for programs that use gs://.
  mutable std::once_flag gcs_once_;
  mutable std::unique_ptr<Storage> gcs_;
};

}  // namespace carrack::data
