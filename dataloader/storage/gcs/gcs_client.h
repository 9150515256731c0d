// GcsClient: the HTTP client of Google Cloud Storage's JSON API, through which all classes of this folder send their
// requests. It adds the credentials, tries again if that can help, and turns failures into messages. GcsStorage owns
// one.
//
// A request that is sent again may already have been carried out. So callers must send only requests that either change
// nothing or have a precondition on the generation, with which the service refuses the second request:
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
  std::string endpoint;  // http://HOST[:PORT] or https://HOST[:PORT]
  TokenSource token;     // if empty, requests carry no token, as for an emulator
  Sleeper sleep;         // replaces every wait before a retry, for tests; if empty, the thread sleeps
  RetryLimits retries;
  HttpTimeouts timeouts = {};
  Proxies proxies = {};
  std::uint64_t jitter_seed = 0;                              // for the random part of waits before retries
  std::uint64_t read_ahead_bytes = std::uint64_t{256} << 20;  // the budget of all sequential readers together
  // Limits of one list(), which throws Refused beyond them, so that a faulty service cannot fill the memory or delay a
  // job without end.
  std::size_t listed_objects_max = 10'000'000;
  std::size_t listed_pages_max = 100'000;
};

// Safe for many threads.
class GcsClient : public RangeClient {
 public:
  explicit GcsClient(GcsClientSettings settings);

  const std::string& endpoint() const { return connections_.endpoint(); }
  // Sends the request without retries, except that after status 401 it tries once more if settings.token returns
  // another token. Returns any reply, also an HTTP error; a failure of the network is in the reply
  // (HttpReply::failure). Throws Error if there is no token. The token is removed from the body of the reply.
  HttpReply send(HttpRequest request) override;
  // Like send(), but if the reply is a transient error (is_transient(), such as status 503) it waits and tries again,
  // up to settings.retries. The returned reply may still be an error that is not transient, such as 404. Throws Error,
  // which names `url`, if no try is left.
  HttpReply send_with_retries(const std::string& url, const HttpRequest& request);

  Backoff backoff() override;
  // For callers with their own loop of retries: sleeps for retry_delay(). `failed` is the reply to the last try. Throws
  // Error, which names `url`, if no try is left.
  void wait(Backoff& backoff, const std::string& url, const HttpReply& failed);
  // Returns the next delay of `backoff`, which is short at first. If many tries of this client fail, returns the
  // longest delay even for a first retry, so that a service in trouble gets fewer requests and not more. If
  // settings.sleep is set, calls it with the delay and returns 0.
  std::chrono::milliseconds retry_delay(Backoff& backoff, const std::string& url, const HttpReply& failed) override;

 private:
  HttpReply send_with_token(HttpRequest request);

  const GcsClientSettings settings_;
  HttpConnections connections_;
  std::atomic<std::uint64_t> operations_ = 0;  // number of operations that have begun, for the seeds of their Backoffs
  RetryBudget quick_retries_{{.share = 0.1, .reserve_max = 100}};
};

// Returns the object that a reply with status 200 or 201 describes. Throws an Error for any other reply, see
// throw_unexpected().
ObjectResource object_in(const std::string& url, const HttpReply& reply);

// Throws the Error for a reply that the caller cannot handle; Refused for a status from 400 to 499 and if
// HttpReply::is_permanent. The message names `url` and has advice for 401, 403 and 404.
[[noreturn]] void throw_unexpected(const std::string& url, const HttpReply& reply);

}  // namespace carrack::data
