// GoogleStorages: the storages of one process, set up from its environment variables, with the credentials for Google
// Cloud Storage. docs/reference/credentials.md describes it for users. Each main makes one.
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
  // `nonce` is random, different in each process; `memory_bytes` is what the process may use. The object must not be
  // moved, as the storages call back into it for tokens. `retries` is for gs://.
  GoogleStorages(const std::map<std::string, std::string>& environment, Tokens::Now now, std::uint64_t nonce,
                 std::uint64_t memory_bytes, const RetryLimits& retries = {});

  const Storages& storages() const { return storages_; }

 private:
  StorageSettings settings(const std::map<std::string, std::string>& environment, std::uint64_t nonce,
                           std::uint64_t memory_bytes, const RetryLimits& retries);

  const GoogleSettings google_;
  Tokens tokens_;
  const Storages storages_;
};

}  // namespace carrack::data
