#include "dataloader/storage/storages.h"

#include <algorithm>
#include <optional>

#include "dataloader/error.h"
#include "dataloader/http/service_url.h"
#include "dataloader/storage/file/file_storage.h"
#include "dataloader/storage/gcs/gcs_storage.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

std::optional<ServiceUrl> url_in(const std::string& variable) {
  try {
    return service_url_from(variable);
  } catch (const Refused&) {
    return std::nullopt;
  }
}

// Clients take the variable with and without a scheme: localhost:4443, http://localhost:4443/.
std::string emulator_from(const std::string& variable) {
  const auto url = url_in(variable.find("://") == variable.npos ? "http://" + variable : variable);
  if (url && url->target == "/") return url->endpoint;
  throw Refused("STORAGE_EMULATOR_HOST: is " + variable + ", which is no address; write HOST:PORT or http://HOST:PORT");
}

// gcloud takes the variable with the path of the API: https://HOST/storage/v1/.
std::string endpoint_from(const std::string& variable) {
  if (variable.empty()) return "https://storage.googleapis.com";
  const auto url = url_in(variable);
  const std::string named = "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE: is " + variable;
  if (!url || (url->target != "/" && url->target != "/storage/v1" && url->target != "/storage/v1/"))
    throw Refused(named + ", which is no address; write https://HOST or https://HOST:PORT");
  if (!is_private(url->endpoint)) throw Refused(named + "; tokens are sent to https://HOST alone, or to this machine");
  return url->endpoint;
}

// As much as 64 requests bring at once, and their followers.
constexpr std::uint64_t most_read_ahead = std::uint64_t{1} << 30;

GcsSettings gcs_settings(const StorageSettings& settings) {
  GcsSettings gcs;
  const bool emulated = !settings.gcs_emulator.empty();
  gcs.endpoint = emulated ? emulator_from(settings.gcs_emulator) : endpoint_from(settings.gcs_endpoint);
  if (!emulated) gcs.token = settings.gcs_token;
  if (!emulated) gcs.proxies = Proxies(settings.environment);
  gcs.sleep = settings.sleep;
  gcs.retries = settings.retries;
  gcs.jitter_seed = settings.nonce;
  gcs.read_ahead = std::min(settings.memory / 8, most_read_ahead);
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
    std::call_once(gcs_asked_for_, [this] { gcs_ = std::make_unique<GcsStorage>(gcs_settings(settings_)); });
    return *gcs_;
  }
  throw Refused(url + ": there is no storage for " + scheme + "://; write a path, file:// or gs://");
}

}  // namespace carrack::data
