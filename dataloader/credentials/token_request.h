// Writes the HTTP requests that get access tokens from Google's services, and parses their replies. TokenService sends
// them. Pure. Google documents them:
//   refresh_request()        https://developers.google.com/identity/protocols/oauth2/native-app#offline
//   exchange_request()       https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token
//   impersonation_request()  https://cloud.google.com/iam/docs/reference/credentials/rest
//   metadata_request()       https://cloud.google.com/compute/docs/access/authenticate-workloads#applications
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataloader/credentials/credentials.h"
#include "dataloader/credentials/token.h"
#include "dataloader/http/request.h"

namespace carrack::data {

struct TokenRequest {
  ServiceUrl url;                    // where to send it
  HttpRequest http;                  // what to send
  std::vector<std::string> secrets;  // parts of the request that no message may show
  // The requested lifetime of the token; set only for impersonations. Their reply has no lifetime, only the time of
  // expiry by Google's clock.
  std::optional<std::chrono::seconds> lifetime;
};

// Requests a token for a person's refresh token.
TokenRequest refresh_request(const AuthorizedUser& user);
// Requests a token of Google for `subject_token`, a token of another identity provider (see ExternalAccount).
TokenRequest exchange_request(const ExternalAccount& account, const std::string& subject_token);
// Requests a token of another service account. `source` is a token of the account that may impersonate it.
TokenRequest impersonation_request(const Impersonation& impersonation, const Token& source);
// Requests a token of the machine's default service account. `host` is HOST[:PORT] of the metadata server.
TokenRequest metadata_request(const std::string& host);
// Requests the subject token of an external account. Do not pass the reply to parse_token(), but to
// subject_token_from().
TokenRequest subject_request(const SubjectUrl& subject);

// Returns the token in the body of a reply with status 200; `request` is the one that it answers. Returns nullopt if it
// has no token that can become part of a header, or a lifetime that is not a positive whole number. The token of an
// impersonation has the requested lifetime. Any other token has the lifetime in the reply, at most twelve hours; an
// hour if the reply has none.
std::optional<Token> parse_token(const TokenRequest& request, const std::string& body);

// Returns the message for a failed reply, such as "HTTP 400: invalid_grant: Token has been expired or revoked.", or for
// a request without a complete reply. It shows none of request.secrets, even if the service quotes them.
std::string failure_text(const TokenRequest& request, const HttpReply& reply);

}  // namespace carrack::data
