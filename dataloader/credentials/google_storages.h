// GoogleStorages: sets up the Storages of a process (access to files and to gs:// objects), with a cached token for
// Google Cloud Storage. `carrack`, `carrack-trainer` and the library (trainer/library) make one; the operator has no
// storages. docs/reference/credentials.md describes the settings for users.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dataloader/credentials/google_token.h"
#include "dataloader/credentials/tokens.h"
#include "dataloader/storage/storages.h"

namespace carrack::data {

class GoogleStorages {
 public:
  // `environment` has the environment variables: STORAGE_EMULATOR_HOST, CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE, those
  // of proxies.h and those of google_token.h are used. `now` returns the time; it must be thread-safe, as any thread
  // that uses gs:// may call it. `nonce` is random, different in each process. `memory_bytes` is the memory that the
  // process may use. `retries` applies to requests of gs:// storages, not to those for tokens. Reads no credentials and
  // sends nothing: the first request that needs a token searches for credentials, and fails if there are none.
  GoogleStorages(const std::map<std::string, std::string>& environment, Tokens::Now now, std::uint64_t nonce,
                 std::uint64_t memory_bytes, const RetryLimits& retries = {});

  // Safe for many threads. Valid as long as this object, which the storages call for tokens.
  const Storages& storages() const { return storages_; }

 private:
  StorageSettings settings(const std::map<std::string, std::string>& environment, std::uint64_t nonce,
                           std::uint64_t memory_bytes, const RetryLimits& retries);

  const GoogleSettings google_;
  Tokens tokens_;
  const Storages storages_;
};

}  // namespace carrack::data
