#include "dataloader/credentials/google_storages.h"

namespace carrack::data {

GoogleStorages::GoogleStorages(const std::map<std::string, std::string>& environment, Tokens::Now now,
                               std::uint64_t nonce, std::uint64_t memory)
    : google_{.environment = environment, .sleep = {}, .jitter_seed = nonce},
      tokens_([this, now] { return google_token(google_, now()); }, now, nonce),
      storages_(settings(environment, nonce, memory)) {}

StorageSettings GoogleStorages::settings(const std::map<std::string, std::string>& environment, std::uint64_t nonce,
                                         std::uint64_t memory) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  StorageSettings settings;
  settings.gcs_emulator = value("STORAGE_EMULATOR_HOST");
  settings.gcs_endpoint = value("CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE");
  settings.environment = environment;
  settings.gcs_token = [this](const std::string& refused) { return tokens_.token(refused); };
  settings.nonce = nonce;
  settings.memory = memory;
  return settings;
}

}  // namespace carrack::data
