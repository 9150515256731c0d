// GoogleStorages: the storages of a process, set up from its environment variables, with the credentials for Google
// Cloud Storage. docs/reference/credentials.md describes it for users. Each process makes one.
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
  // `environment` has the values of variables by name. `now` returns the time; it must be thread-safe, as any thread
  // that uses gs:// may call it. `nonce` is random, different in each process. `memory_bytes` is the memory that the
  // process may use. `retries` applies to requests of gs:// storages. No credentials are looked for before a request
  // needs a token.
  GoogleStorages(const std::map<std::string, std::string>& environment, Tokens::Now now, std::uint64_t nonce,
                 std::uint64_t memory_bytes, const RetryLimits& retries = {});

  // Valid as long as this object: the storages call it for tokens.
  const Storages& storages() const { return storages_; }

 private:
  StorageSettings settings(const std::map<std::string, std::string>& environment, std::uint64_t nonce,
                           std::uint64_t memory_bytes, const RetryLimits& retries);

  const GoogleSettings google_;
  Tokens tokens_;
  const Storages storages_;
};

}  // namespace carrack::data
