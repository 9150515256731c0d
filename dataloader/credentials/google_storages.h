// The storages of one process, as its environment says: who it is to Google Cloud Storage, and where that is reached.
// docs/reference/credentials.md is what users are told of it. Each main makes one.
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
  // `nonce` is random, different in each process; `memory` is what the process may have. Throws Refused for an address
  // that no token may be sent to.
  GoogleStorages(const std::map<std::string, std::string>& environment, Tokens::Now now, std::uint64_t nonce,
                 std::uint64_t memory_bytes);

  const Storages& storages() const { return storages_; }

 private:
  StorageSettings settings(const std::map<std::string, std::string>& environment, std::uint64_t nonce,
                           std::uint64_t memory_bytes);

  const GoogleSettings google_;
  Tokens tokens_;
  const Storages storages_;
};

}  // namespace carrack::data
