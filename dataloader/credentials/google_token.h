// google_token(): gets a token for the Google Cloud account of this process. Each call looks for credentials again, so
// that a replaced file takes effect. It looks in the same places and order as Google's own libraries:
//   1. the file that GOOGLE_APPLICATION_CREDENTIALS names
//   2. application_default_credentials.json in CLOUDSDK_CONFIG, else in ~/.config/gcloud
//   3. the metadata server of the machine or pod: GCE_METADATA_HOST, else 169.254.169.254
// Credentials that exist but cannot be used are an error; later places are not tried.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "dataloader/credentials/token.h"
#include "dataloader/storage/remote/backoff.h"

namespace carrack::data {

struct GoogleSettings {
  std::map<std::string, std::string> environment;
  Sleeper sleep;  // called instead of each wait before a retry, for tests; if not set, the thread sleeps
  RetryLimits retries = {};
  std::chrono::milliseconds silence{30'000};      // a try fails if no byte arrives for this long
  std::chrono::milliseconds time_max{180'000};    // the most time for one token, with all services and retries
  std::string metadata_host = "169.254.169.254";  // used unless GCE_METADATA_HOST is set
  // The file in which Linux gives the name of this machine's product. On a machine of Google, and if GCE_METADATA_HOST
  // is set, the metadata server is tried for longer, since it must exist.
  std::string product_name_file = "/sys/class/dmi/id/product_name";
  std::uint64_t jitter_seed = 0;
};

// Returns a new token. By default a request that fails is sent up to ten times, with waits of about a minute and a half
// in all. Throws Refused if trying again cannot help, else Error; no message shows a secret. Safe to call from several
// threads.
Token google_token(const GoogleSettings& settings, Moment now);

}  // namespace carrack::data
