// Identifies a job in public places without revealing its UID. The coordinator serves the token at /progress, where
// anyone may read it; the operator compares it, to know that the reply comes from the right job.
#pragma once

#include <string>
#include <string_view>

namespace carrack::train {

// Returns 32 characters: the first 32 hexadecimal digits, in lower case, of SHA-256 over "carrack-job-token-1\n" and
// the UID. The UID is random, so it cannot be computed from them.
std::string job_token(std::string_view job_uid);

}  // namespace carrack::train
