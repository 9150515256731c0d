// TokenService: sends the requests of token_request.h for google_token(), with retries. Make an object for each token:
// an object sends all requests that one token needs, until a common deadline. Calls block. Each request has its own
// connection, as a process needs only about one token an hour.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "dataloader/credentials/google_token.h"
#include "dataloader/credentials/token_request.h"
#include "dataloader/http/proxies.h"

namespace carrack::data {

class TokenService {
 public:
  // `settings` must outlive this. All requests of this object together take at most settings.time_max, counted from its
  // construction. Throws Refused if a variable for a proxy is malformed (proxies.h).
  explicit TokenService(const GoogleSettings& settings)
      : settings_(settings),
        proxies_(settings.environment),
        deadline_(std::chrono::steady_clock::now() + settings.time_max) {}

  // Sends a request and returns the token in the reply. Throws Refused if trying again cannot help, such as for HTTP
  // 400, and Error for all other failures. Each message begins with `origin`, the name of the credential file, and ends
  // with `advice`, what the user should do, if the service rejected the request.
  Token token(const TokenRequest& request, const std::string& origin, const std::string& advice) const;
  // Returns the body of a successful reply to subject_request(). Throws Refused and Error like token().
  std::string reply_body(const TokenRequest& request, const std::string& origin) const;
  // Requests a token from the metadata server at `host`, HOST[:PORT]. Returns nullopt if another kind of server
  // answers. Set `expected` if this machine should have a metadata server: the request is then sent as often as to
  // other services, and Error is thrown if no server answers, or only with a failure that may pass. Otherwise there are
  // three tries of a few seconds each, and the result is also nullopt if no server answers. Throws Refused and Error
  // like token() if a metadata server answers without a token.
  std::optional<Token> metadata_token(const std::string& host, bool expected) const;

 private:
  HttpReply send_with_retries(const TokenRequest& request, const RetryLimits& retries, HttpTimeouts timeouts) const;

  const GoogleSettings& settings_;
  const Proxies proxies_;
  const std::chrono::steady_clock::time_point deadline_;
};

}  // namespace carrack::data
