// Storages: finds the Storage (storage.h) of a URL: FileStorage for file:// and bare paths, GcsStorage for gs://. It
// owns both. GoogleStorages (credentials/google_storages.h) makes the one of a process from its environment variables.
// It is passed to all code that reads or writes files.
//   Storage& storage = storages.for_url("gs://bucket/data/*.tfrecord");
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

// The settings of gs://.
struct GcsSettings {
  std::string emulator;  // the value of STORAGE_EMULATOR_HOST; empty if not set. An emulator gets no token.
  std::string endpoint;  // the value of CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE; empty: Google Cloud Storage itself
  TokenSource token;     // if empty, only public objects can be read
};

struct StorageSettings {
  GcsSettings gcs;
  std::map<std::string, std::string> environment;  // HTTPS_PROXY and NO_PROXY are read from it, see proxies.h
  // A random number that differs between processes: a part of the names of temporary files, and the seed of the jitter
  // of retries.
  std::uint64_t nonce = 0;
  Sleeper sleep;  // replaces every wait before a retry, for tests; if empty, the thread sleeps
  RetryLimits retries;
  // The memory that the process may use. An eighth of it, but at most 1 GiB, is used for reading gs:// ahead.
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;
};

// Safe for many threads.
class Storages {
 public:
  explicit Storages(const StorageSettings& settings);
  ~Storages();
  Storages(const Storages&) = delete;
  Storages& operator=(const Storages&) = delete;

  // Returns the storage of an object's URL or pattern. It is the same one for all URLs of a scheme, and is owned by
  // this object. Sends no request. Throws Refused for a text that is not a URL, for an unknown scheme, and for gs:// if
  // a setting is malformed; throws Error for gs:// if OpenSSL cannot be used.
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
