#include "trainer/launch/job_token.h"

#include <openssl/sha.h>

#include <array>
#include <cstddef>

namespace carrack::train {

std::string job_token(std::string_view job_uid) {
  const std::string text = "carrack-job-token-1\n" + std::string(job_uid);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string token;
  for (std::size_t i = 0; i < 16; ++i) {
    token += "0123456789abcdef"[digest[i] >> 4];
    token += "0123456789abcdef"[digest[i] & 15];
  }
  return token;
}

}  // namespace carrack::train
