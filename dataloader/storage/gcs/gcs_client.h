// Requests to Google Cloud Storage's JSON API: credentials added, tried again where that can help, errors in words.
//
// A request that is tried again may have been carried out before, so each that comes here either changes nothing or has
// a precondition on the generation, by which the second time is refused:
// https://cloud.google.com/storage/docs/retry-strategy
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "dataloader/http/connections.h"
#include "dataloader/storage/remote/backoff.h"
#include "dataloader/storage/remote/retry_budget.h"
#include "dataloader/storage/remote/token_source.h"

namespace carrack::data {

struct GcsClientSettings {
  std::string endpoint;
  TokenSource token;  // None: requests carry no token, which is what an emulator takes.
  Sleeper sleep;      // In place of every wait; none: time is waited for as it passes.
  RetryLimits retries;
  HttpTimeouts timeouts = {};
  Proxies proxies = {};
  std::uint64_t jitter_seed = 0;
  std::uint64_t read_ahead_bytes = std::uint64_t{256} << 20;  // Bytes of memory, for all objects that are read in turn.
};

class GcsClient {
 public:
  explicit GcsClient(GcsClientSettings settings);

  const std::string& endpoint() const { return connections_.endpoint(); }
  // One try; after a 401 another, if there is another token by then.
  HttpReply send(HttpRequest request);
  // Until there is a whole reply that trying again would not change; Error names `url` when no try is left.
  HttpReply send_until_answered(const std::string& url, const HttpRequest& request);

  Backoff backoff();
  // Waits before the next try.
  void wait(Backoff& backoff, const std::string& url, const HttpReply& failed);
  // How long is to be waited yet, or throws Error when no try is left. Where many tries of this process fail, each
  // waits the longest time at once: a service in trouble is asked less, not more.
  std::chrono::milliseconds due(Backoff& backoff, const std::string& url, const HttpReply& failed);

 private:
  HttpReply send_with_token(HttpRequest request);

  const GcsClientSettings settings_;
  HttpConnections connections_;
  std::atomic<std::uint64_t> operations_ = 0;
  RetryBudget quick_retries_{0.1, 100};
};

// For a status nobody expected.
[[noreturn]] void throw_unexpected(const std::string& url, const HttpReply& reply);

}  // namespace carrack::data
