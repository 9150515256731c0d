// What each service that gives tokens is asked, and what it answers, as Google documents both:
//   a refresh token     https://developers.google.com/identity/protocols/oauth2/native-app#offline
//   an external token   https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token
//   impersonation       https://cloud.google.com/iam/docs/reference/credentials/rest
//   a metadata server   https://cloud.google.com/compute/docs/access/authenticate-workloads#applications
// Pure. No text made of a reply shows what the request held back, whatever the service has put into it.
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
  std::vector<std::string> secrets;
  // Of impersonations: how long what was asked for lives. Their reply says until when by Google's clock, not by ours.
  std::optional<std::chrono::seconds> lifetime;
};

TokenRequest refresh_request(const AuthorizedUser& user);
TokenRequest exchange_request(const ExternalAccount& account, const std::string& subject_token);
TokenRequest impersonation_request(const Impersonation& impersonation, const Token& source);
// `host` is HOST[:PORT].
TokenRequest metadata_request(const std::string& host);
// For the token of an external account; what it gives is no token of Google's.
TokenRequest subject_request(const SubjectUrl& subject);

// Nothing if there is none in the body of a success.
std::optional<Token> token_in(const TokenRequest& request, const std::string& body);

// "HTTP 400: invalid_grant: Token has been expired or revoked.", of a reply that is no success, or of none.
std::string failure_in(const TokenRequest& request, const HttpReply& reply);

}  // namespace carrack::data
