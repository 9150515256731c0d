// GcsClient: sends requests to Google Cloud Storage's JSON API. It adds the credentials, tries again if that can help,
// and turns failures into messages.
//
// A request that is sent again may have been carried out the first time. So callers must send only requests that either
// change nothing or have a precondition on the generation, which makes the service refuse the second one:
// https://cloud.google.com/storage/docs/retry-strategy
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "dataloader/http/connections.h"
#include "dataloader/storage/gcs/gcs_text.h"
#include "dataloader/storage/remote/backoff.h"
#include "dataloader/storage/remote/range_client.h"
#include "dataloader/storage/remote/retry_budget.h"
#include "dataloader/storage/remote/token_source.h"

namespace carrack::data {

struct GcsClientSettings {
  std::string endpoint;  // as HttpConnections takes it
  TokenSource token;     // if empty, requests carry no token, as for an emulator
  Sleeper sleep;         // replaces every wait before a retry, for tests; if empty, the thread sleeps
  RetryLimits retries;
  HttpTimeouts timeouts = {};
  Proxies proxies = {};
  std::uint64_t jitter_seed = 0;
  std::uint64_t read_ahead_bytes = std::uint64_t{256} << 20;  // the budget of all sequential readers together
  // Limits of one listing, so that a faulty service cannot fill the memory or delay a job without end.
  std::size_t listed_objects_max = 10'000'000;
  std::size_t listed_pages_max = 100'000;
};

// Safe for many threads.
class GcsClient : public RangeClient {
 public:
  explicit GcsClient(GcsClientSettings settings);

  const std::string& endpoint() const { return connections_.endpoint(); }
  // Tries once, and after a 401 once more if another token can be got.
  HttpReply send(HttpRequest request) override;
  // Sends the request until its reply is not transient: see is_transient(). Throws Error, naming `url`, if no try is
  // left.
  HttpReply send_with_retries(const std::string& url, const HttpRequest& request);

  Backoff backoff() override;
  // Sleeps for retry_delay(), and throws as it does.
  void wait(Backoff& backoff, const std::string& url, const HttpReply& failed);
  // If many tries of this process fail, each waits for the longest time from the first retry on, so that a service in
  // trouble gets fewer requests and not more.
  std::chrono::milliseconds retry_delay(Backoff& backoff, const std::string& url, const HttpReply& failed) override;

 private:
  HttpReply send_with_token(HttpRequest request);

  const GcsClientSettings settings_;
  HttpConnections connections_;
  std::atomic<std::uint64_t> operations_ = 0;  // begun, to give each another seed
  RetryBudget quick_retries_{{.share = 0.1, .reserve_max = 100}};
};

// Returns the object that the reply describes. If it does not describe an object, throws as throw_unexpected() does.
ObjectResource object_in(const std::string& url, const HttpReply& reply);

// Throws the Error for a reply that the caller cannot handle: Refused if trying again cannot help.
[[noreturn]] void throw_unexpected(const std::string& url, const HttpReply& reply);

}  // namespace carrack::data
