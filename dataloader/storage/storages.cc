#include "dataloader/storage/storages.h"

#include "dataloader/error.h"
#include "dataloader/storage/file_storage.h"
#include "dataloader/storage/gcs_storage.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

// Clients take the variable with and without a scheme: localhost:4443, http://localhost:4443/.
std::string endpoint_from(std::string emulator) {
  while (emulator.ends_with('/')) emulator.pop_back();
  return emulator.find("://") == std::string::npos ? "http://" + emulator : emulator;
}

GcsSettings gcs_settings(const StorageSettings& settings) {
  GcsSettings gcs;
  gcs.endpoint = endpoint_from(settings.gcs_emulator);
  gcs.sleep = settings.sleep;
  gcs.retries = settings.retries;
  gcs.jitter_seed = settings.nonce;
  return gcs;
}

}  // namespace

Storages::Storages(const StorageSettings& settings) : file_(std::make_unique<FileStorage>(settings.nonce)) {
  if (!settings.gcs_emulator.empty()) gcs_ = std::make_unique<GcsStorage>(gcs_settings(settings));
}

Storages::~Storages() = default;

Storage& Storages::for_url(const std::string& url) const {
  const std::string scheme = url_from(url).scheme;
  if (scheme == "file") return *file_;
  if (scheme != "gs")
    throw Refused(url + ": there is no storage for " + scheme + "://; write a path, file:// or gs://");
  if (!gcs_) {
    throw Refused(url +
                  ": gs:// works with an emulator only, as there are no credentials for Google Cloud Storage yet; "
                  "set STORAGE_EMULATOR_HOST to the emulator's address");
  }
  return *gcs_;
}

}  // namespace carrack::data
