// TokenService: sends the requests for one token, with retries, until a common deadline. Each request has a connection
// of its own, as a process needs one token an hour.
#pragma once

#include <chrono>
#include <string>

#include "dataloader/credentials/google_token.h"
#include "dataloader/credentials/token_request.h"
#include "dataloader/http/proxies.h"

namespace carrack::data {

class TokenService {
 public:
  // `settings` must outlive this. Their `time_max` begins now.
  explicit TokenService(const GoogleSettings& settings)
      : settings_(settings),
        proxies_(settings.environment),
        deadline_(std::chrono::steady_clock::now() + settings.time_max) {}

  // Throws Error or Refused if there is no token. The message begins with `origin`, and ends with `advice` if the
  // service refused the request.
  Token token(const TokenRequest& request, const std::string& origin, const std::string& advice) const;
  // The body of a successful reply, for the subject token of an external account. Throws as token() does.
  std::string reply_body(const TokenRequest& request, const std::string& origin) const;
  // nullopt if there is no metadata server; that takes only seconds to find out if none is `expected`. Throws as
  // token() does if the server refuses, or if it is expected and does not answer.
  std::optional<Token> metadata_token(const std::string& host, bool expected) const;

 private:
  HttpReply send_with_retries(const TokenRequest& request, const RetryLimits& retries, HttpTimeouts timeouts) const;

  const GoogleSettings& settings_;
  const Proxies proxies_;
  const std::chrono::steady_clock::time_point deadline_;
};

}  // namespace carrack::data
