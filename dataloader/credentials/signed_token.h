// A token that a service account signs itself: https://google.aip.dev/auth/4111. Pure.
//
// Google takes it as it takes one of its token service. So no request is needed to get one, none can fail, and the
// key's signature goes to nobody but to who is asked in the end; this is why the account's token_uri is not used.
#pragma once

#include <string>

#include "dataloader/credentials/credentials.h"
#include "dataloader/credentials/token.h"

namespace carrack::data {

// An RSA key in PEM, without a password, that RS256 may be signed with.
bool is_signing_key(const std::string& pem);

Token signed_token(const ServiceAccount& account, Moment now);

}  // namespace carrack::data
