// signed_token(): makes a token that is signed with a service account's key, see https://google.aip.dev/auth/4111.
// Functions are pure.
//
// Google's services accept it like a token of the token service. But it needs no request, which could fail and would
// show the signature to another service. So the account's token_uri is not used.
#pragma once

#include <string>

#include "dataloader/credentials/credentials.h"
#include "dataloader/credentials/token.h"

namespace carrack::data {

// True for a private RSA key in PEM, without a password, of at least 2048 bits.
bool is_signing_key(const std::string& pem);

// Returns a token that is valid for an hour from `now` on, which is the current time. Throws Error if the key cannot
// sign.
Token signed_token(const ServiceAccount& account, Moment now);

}  // namespace carrack::data
