// The requests to the services that give tokens, and how their replies are parsed. Pure. Google documents them:
//   a refresh token     https://developers.google.com/identity/protocols/oauth2/native-app#offline
//   an external token   https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token
//   impersonation       https://cloud.google.com/iam/docs/reference/credentials/rest
//   a metadata server   https://cloud.google.com/compute/docs/access/authenticate-workloads#applications
// Messages made from a reply never show a secret of its request, even if the service quotes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataloader/credentials/credentials.h"
#include "dataloader/credentials/token.h"
#include "dataloader/http/request.h"

namespace carrack::data {

struct TokenRequest {
  ServiceUrl url;
  HttpRequest http;
  std::vector<std::string> secrets;  // Parts of the request that no message may show.
  // Set for impersonations: the requested lifetime. Their reply has only the time of expiry, by Google's clock.
  std::optional<std::chrono::seconds> lifetime;
};

TokenRequest refresh_request(const AuthorizedUser& user);
TokenRequest exchange_request(const ExternalAccount& account, const std::string& subject_token);
TokenRequest impersonation_request(const Impersonation& impersonation, const Token& source);
// `host` is HOST[:PORT].
TokenRequest metadata_request(const std::string& host);
// For the subject token of an external account, which is not a token of Google's.
TokenRequest subject_request(const SubjectUrl& subject);

// The token in the body of a successful reply; nullopt if there is none.
std::optional<Token> parse_token(const TokenRequest& request, const std::string& body);

// The message for a reply that is no success: "HTTP 400: invalid_grant: Token has been expired or revoked."
std::string failure_text(const TokenRequest& request, const HttpReply& reply);

}  // namespace carrack::data
