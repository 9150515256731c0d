// signed_token(): makes an access token for a service account without any request: a JWT that is signed with the
// account's private key, see https://google.aip.dev/auth/4111. Pure functions.
//
// Google's services accept it like a token of the token service (the `token_uri` of a key file, which is not used). A
// request there could fail, and would show the signature to another service.
#pragma once

#include <string>

#include "dataloader/credentials/credentials.h"
#include "dataloader/credentials/token.h"

namespace carrack::data {

// True for a private RSA key in PEM, without a password, of at least 2048 bits. False for any other text.
bool is_signing_key(const std::string& pem);

// Returns a token that is valid for an hour from `now` on, which is the current time. Throws Error if the key cannot
// sign.
Token signed_token(const ServiceAccount& account, Moment now);

}  // namespace carrack::data
