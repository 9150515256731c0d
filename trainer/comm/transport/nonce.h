// new_nonce(): returns 32 random bytes from OpenSSL's cryptographic generator, for one opening of a connection
// (protocol/opening.h). A CHECK fails if the system has no random numbers.
#pragma once

#include <openssl/rand.h>

#include "dataloader/check.h"
#include "trainer/comm/protocol/opening.h"

namespace carrack::train {

inline Nonce new_nonce() {
  Nonce nonce;
  CHECK_EQ(RAND_bytes(nonce.data(), static_cast<int>(nonce.size())), 1);
  return nonce;
}

}  // namespace carrack::train
