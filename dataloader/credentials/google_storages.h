// GoogleStorages: the storages of a process, set up from its environment variables, with the credentials for Google
// Cloud Storage. docs/reference/credentials.md describes it for users. Each main() makes one.
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
  // `nonce` is random, different in each process. `memory_bytes` is the memory that the process may use. `retries`
  // applies to requests of gs:// storages. The storages call back into this object for tokens, so it must not be moved.
  GoogleStorages(const std::map<std::string, std::string>& environment, Tokens::Now now, std::uint64_t nonce,
                 std::uint64_t memory_bytes, const RetryLimits& retries = {});

  // Valid as long as this object.
  const Storages& storages() const { return storages_; }

 private:
  StorageSettings settings(const std::map<std::string, std::string>& environment, std::uint64_t nonce,
                           std::uint64_t memory_bytes, const RetryLimits& retries);

  const GoogleSettings google_;
  Tokens tokens_;
  const Storages storages_;
};

}  // namespace carrack::data
