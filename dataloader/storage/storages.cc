#include "dataloader/storage/storages.h"

#include "dataloader/error.h"
#include "dataloader/storage/file_storage.h"
#include "dataloader/storage/gcs_storage.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

std::string without_ending(std::string text, std::string_view ending) {
  while (text.ends_with(ending)) text.erase(text.size() - ending.size());
  return text;
}

// Clients take the variable with and without a scheme: localhost:4443, http://localhost:4443/.
std::string emulator_from(const std::string& variable) {
  const std::string emulator = without_ending(variable, "/");
  return emulator.find("://") == std::string::npos ? "http://" + emulator : emulator;
}

// gcloud takes the variable with the path of the API: https://HOST/storage/v1/.
std::string endpoint_from(const std::string& variable) {
  if (variable.empty()) return "https://storage.googleapis.com";
  const std::string endpoint = without_ending(without_ending(variable, "/"), "/storage/v1");
  if (is_private(endpoint)) return endpoint;
  throw Refused("CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE: is " + variable +
                "; tokens are sent to https://HOST alone, or to this machine");
}

GcsSettings gcs_settings(const StorageSettings& settings) {
  GcsSettings gcs;
  const bool emulated = !settings.gcs_emulator.empty();
  gcs.endpoint = emulated ? emulator_from(settings.gcs_emulator) : endpoint_from(settings.gcs_endpoint);
  if (!emulated) gcs.token = settings.gcs_token;
  gcs.sleep = settings.sleep;
  gcs.retries = settings.retries;
  gcs.jitter_seed = settings.nonce;
  return gcs;
}

}  // namespace

Storages::Storages(const StorageSettings& settings)
    : file_(std::make_unique<FileStorage>(settings.nonce)),
      gcs_(std::make_unique<GcsStorage>(gcs_settings(settings))) {}

Storages::~Storages() = default;

Storage& Storages::for_url(const std::string& url) const {
  const std::string scheme = url_from(url).scheme;
  if (scheme == "file") return *file_;
  if (scheme == "gs") return *gcs_;
  throw Refused(url + ": there is no storage for " + scheme + "://; write a path, file:// or gs://");
}

}  // namespace carrack::data
