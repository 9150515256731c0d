#include "dataloader/credentials/google_storages.h"

namespace carrack::data {

GoogleStorages::GoogleStorages(const std::map<std::string, std::string>& environment, Tokens::Now now,
                               std::uint64_t nonce, std::uint64_t memory_bytes, const RetryLimits& retries)
    : google_{.environment = environment, .sleep = {}, .jitter_seed = nonce},
      tokens_([this, now] { return google_token(google_, now()); }, now, nonce),
      storages_(settings(environment, nonce, memory_bytes, retries)) {}

StorageSettings GoogleStorages::settings(const std::map<std::string, std::string>& environment, std::uint64_t nonce,
                                         std::uint64_t memory_bytes, const RetryLimits& retries) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  StorageSettings settings;
  settings.gcs.emulator = value("STORAGE_EMULATOR_HOST");
  settings.gcs.endpoint = value("CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE");
  settings.environment = environment;
  settings.gcs.token = [this](const std::string& rejected) { return tokens_.token(rejected); };
  settings.nonce = nonce;
  settings.memory_bytes = memory_bytes;
  settings.retries = retries;
  return settings;
}

}  // namespace carrack::data
