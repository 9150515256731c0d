// Identifies a job where anyone may read it, as in /progress, without revealing the job's UID.
#pragma once

#include <string>
#include <string_view>

namespace carrack::train {

// Returns the first 32 hexadecimal digits, in lower case, of SHA-256 over "carrack-job-token-1\n" and the UID. The UID
// is random, so it cannot be computed from them.
std::string job_token(std::string_view job_uid);

}  // namespace carrack::train
