#include "trainer/launch/job_token.h"

#include <openssl/sha.h>

#include <array>
#include <span>

#include "dataloader/text.h"

namespace carrack::train {

std::string job_token(std::string_view job_uid) {
  const std::string text = "carrack-job-token-1\n" + std::string(job_uid);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return data::hexadecimal(std::span(digest).first<16>());
}

}  // namespace carrack::train
