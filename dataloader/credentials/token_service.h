// Asks the services that give tokens, again where that can help, all for one token: none is waited for past its
// deadline. Each question is a connection of its own: there is one an hour.
#pragma once

#include <chrono>
#include <string>

#include "dataloader/credentials/google_token.h"
#include "dataloader/credentials/token_request.h"
#include "dataloader/http/proxies.h"

namespace carrack::data {

class TokenService {
 public:
  explicit TokenService(const GoogleSettings& settings)
      : settings_(settings),
        proxies_(settings.environment),
        deadline_(std::chrono::steady_clock::now() + settings.deadline) {}

  // A token, or an error that begins with `origin`, of whom it is asked, and ends with `advice` where it was refused.
  Token token(const TokenRequest& request, const std::string& origin, const std::string& advice) const;
  // What an address that gives a provider's token answers.
  std::string body(const TokenRequest& request, const std::string& origin) const;
  // Of the metadata server; nothing if there is none, which is found out soon where none is expected.
  std::optional<Token> metadata_token(const std::string& host, bool expected) const;

 private:
  HttpReply ask(const TokenRequest& request, const RetryLimits& retries, HttpTimeouts timeouts) const;

  const GoogleSettings& settings_;
  const Proxies proxies_;
  const std::chrono::steady_clock::time_point deadline_;
};

}  // namespace carrack::data
