// A token of Google Cloud for whoever this process is. Looked for where Google's own libraries look, in this order,
// anew each time, so that a file that was replaced is taken:
//   1. the file that GOOGLE_APPLICATION_CREDENTIALS names
//   2. application_default_credentials.json in CLOUDSDK_CONFIG, else in ~/.config/gcloud
//   3. the metadata server of the machine or pod: GCE_METADATA_HOST, else 169.254.169.254
// What is there and cannot be used is an error: nothing further down is taken in its place.
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
  Sleeper sleep;  // None: time is waited for as it passes.
  RetryLimits retries = {};
  std::chrono::milliseconds silence{30'000};      // Of a service.
  std::chrono::milliseconds deadline{180'000};    // Of a token, whoever is asked for it.
  std::string metadata_host = "169.254.169.254";  // Unless the environment names another.
  // Where Linux says who made the machine: on one of Google's a metadata server that does not answer is waited for.
  std::string maker_file = "/sys/class/dmi/id/product_name";
  std::uint64_t jitter_seed = 0;
};

// Takes a minute and a half at most while services answer but do not serve, and `deadline` whatever they do. Throws
// Refused where asking again changes nothing, else Error; neither shows a secret.
Token google_token(const GoogleSettings& settings, Moment now);

}  // namespace carrack::data
