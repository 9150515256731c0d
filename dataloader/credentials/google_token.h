// google_token(): gets an access token for Google Cloud, as Google's client libraries do with Application Default
// Credentials. Nothing is cached: each call searches for credentials again, so that a replaced file takes effect, and
// may send requests. Tokens (tokens.h) caches the result. It searches in this order:
//   1. the file that GOOGLE_APPLICATION_CREDENTIALS names
//   2. application_default_credentials.json in CLOUDSDK_CONFIG, else in ~/.config/gcloud
//   3. the metadata server of the machine or pod: GCE_METADATA_HOST, else 169.254.169.254
// An empty variable counts as not set. Credentials that exist but cannot be used are an error: later places are then
// not tried. So is a GOOGLE_APPLICATION_CREDENTIALS that names no file.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "dataloader/credentials/token.h"
#include "dataloader/storage/remote/backoff.h"

namespace carrack::data {

// All that google_token() depends on. The defaults are for production.
struct GoogleSettings {
  std::map<std::string, std::string> environment;  // the values of variables by name
  // Called instead of each wait before a retry, for tests; if empty, the thread sleeps.
  Sleeper sleep;
  RetryLimits retries = {};                       // for each request
  std::chrono::milliseconds silence{30'000};      // a try fails if no byte arrives for this time
  std::chrono::milliseconds time_max{180'000};    // the maximum time for one token, with all requests and retries
  std::string metadata_host = "169.254.169.254";  // HOST[:PORT], used unless GCE_METADATA_HOST is set
  // The file in which Linux reports the product name of this machine. If that begins with "Google", or if
  // GCE_METADATA_HOST is set, a metadata server must exist, so all retries are used for it. Otherwise three short tries
  // decide whether it exists.
  std::string product_name_file = "/sys/class/dmi/id/product_name";
  std::uint64_t jitter_seed = 0;  // for the waits before retries
};

// Returns a new token. Blocks until the requests have ended, at most about settings.time_max. `now` is the current
// time, for a token that a service account signs. Throws Refused if there are no credentials, or trying again cannot
// help for another reason. Throws Error for a failure that may pass, such as of the network, after all retries: by
// default up to ten tries with waits of at most 32 seconds. No message shows a secret. Safe to call from several
// threads if `settings.sleep` is.
Token google_token(const GoogleSettings& settings, Moment now);

}  // namespace carrack::data
