#include "dataloader/storage/storages.h"

#include <algorithm>

#include "dataloader/error.h"
#include "dataloader/http/service_url.h"
#include "dataloader/storage/file/file_storage.h"
#include "dataloader/storage/gcs/gcs_storage.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

// Returns the endpoint of an emulator. `value` is the variable STORAGE_EMULATOR_HOST, with or without a scheme, as
// other clients accept it: localhost:4443 or http://localhost:4443/.
std::string emulator_from(const std::string& value) {
  const auto url = service_url_from(value.find("://") == value.npos ? "http://" + value : value);
  if (url && url->target == "/") return url->endpoint;
  throw Refused("STORAGE_EMULATOR_HOST: is " + value +
                ", which is not an address; write HOST:PORT or http://HOST:PORT");
}

// Returns the endpoint of the service. `value` is the variable CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE, which may be
// empty. It may have the path of the API, as gcloud accepts it: https://HOST/storage/v1/.
std::string endpoint_from(const std::string& value) {
  if (value.empty()) return "https://storage.googleapis.com";
  const auto url = service_url_from(value);
  const std::string problem = "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE: is " + value;
  if (!url || (url->target != "/" && url->target != "/storage/v1" && url->target != "/storage/v1/"))
    throw Refused(problem + ", which is not an address; write https://HOST or https://HOST:PORT");
  if (!is_confidential(url->endpoint))
    throw Refused(problem + "; tokens are sent to https://HOST alone, or to this machine");
  return url->endpoint;
}

// The maximum memory for reading ahead: enough for 64 requests of 8 MiB that run at the same time, and for the next 64.
constexpr std::uint64_t read_ahead_bytes_max = std::uint64_t{1} << 30;

GcsClientSettings gcs_client_settings(const StorageSettings& settings) {
  GcsClientSettings gcs;
  const bool emulated = !settings.gcs.emulator.empty();
  gcs.endpoint = emulated ? emulator_from(settings.gcs.emulator) : endpoint_from(settings.gcs.endpoint);
  if (!emulated) gcs.token = settings.gcs.token;
  if (!emulated) gcs.proxies = Proxies(settings.environment);
  gcs.sleep = settings.sleep;
  gcs.retries = settings.retries;
  gcs.jitter_seed = settings.nonce;
  gcs.read_ahead_bytes = std::min(settings.memory_bytes / 8, read_ahead_bytes_max);
  return gcs;
}

}  // namespace

Storages::Storages(const StorageSettings& settings)
    : settings_(settings), file_(std::make_unique<FileStorage>(settings.nonce)) {}

Storages::~Storages() = default;

Storage& Storages::for_url(const std::string& url) const {
  const std::string scheme = url_from(url).scheme;
  if (scheme == "file") return *file_;
  if (scheme == "gs") {
    const GcsClientSettings gcs = gcs_client_settings(settings_);  // not within call_once(), because it may throw
    std::call_once(gcs_once_, [&] { gcs_ = std::make_unique<GcsStorage>(gcs); });
    return *gcs_;
  }
  throw Refused(url + ": there is no storage for " + scheme + "://; write a path, file:// or gs://");
}

}  // namespace carrack::data
