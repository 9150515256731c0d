// Makes the requests to services that return tokens, and parses their replies. Pure. Google documents them:
//   a refresh token     https://developers.google.com/identity/protocols/oauth2/native-app#offline
//   an external token   https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token
//   impersonation       https://cloud.google.com/iam/docs/reference/credentials/rest
//   a metadata server   https://cloud.google.com/compute/docs/access/authenticate-workloads#applications
// Messages about a reply never show a secret of its request, even if the service quotes it.
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
  std::vector<std::string> secrets;  // parts of the request that no message may show
  // The requested lifetime of the token; set only for impersonations. Their reply has no lifetime, only the time of
  // expiry by Google's clock.
  std::optional<std::chrono::seconds> lifetime;
};

TokenRequest refresh_request(const AuthorizedUser& user);
TokenRequest exchange_request(const ExternalAccount& account, const std::string& subject_token);
TokenRequest impersonation_request(const Impersonation& impersonation, const Token& source);
// Requests a token of the machine's default service account. `host` is HOST[:PORT] of the metadata server.
TokenRequest metadata_request(const std::string& host);
// Requests the subject token of an external account. Do not pass the reply to parse_token(): see subject_token_from().
TokenRequest subject_request(const SubjectUrl& subject);

// Returns the token in the body of a successful reply; nullopt if it has no token that can become part of a header, or
// a lifetime that is not a positive whole number. The token of an impersonation has the requested lifetime. Any other
// token has the lifetime in the reply, at most twelve hours; an hour if the reply has none.
std::optional<Token> parse_token(const TokenRequest& request, const std::string& body);

// Returns the message for a failed reply, such as "HTTP 400: invalid_grant: Token has been expired or revoked.", or for
// a request without a complete reply.
std::string failure_text(const TokenRequest& request, const HttpReply& reply);

}  // namespace carrack::data
