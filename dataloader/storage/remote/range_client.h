// RangeClient: the interface by which the classes of this folder send HTTP requests to a storage service and decide
// about retries. Each remote storage implements it and adds the credentials, for example GcsClient. Implementations
// must be safe for many threads.
#pragma once

#include <chrono>
#include <string>

#include "dataloader/http/request.h"
#include "dataloader/storage/remote/backoff.h"

namespace carrack::data {

class RangeClient {
 public:
  virtual ~RangeClient() = default;

  // Sends the request, without retries except with a new token, and waits for the reply. Returns any reply, also an
  // HTTP error; a failure of the network is in the reply (HttpReply::failure). Throws Error if there is no token.
  virtual HttpReply send(HttpRequest request) = 0;
  // Returns a new Backoff, with this service's limits of retries. Make one for each operation.
  virtual Backoff backoff() = 0;
  // Call this if a try has failed with the reply `failed`. Counts the failure in `backoff`, which is that of the
  // operation, and returns how long the caller must wait before it tries again. Throws Error, which names `url`, if no
  // try is left.
  virtual std::chrono::milliseconds retry_delay(Backoff& backoff, const std::string& url, const HttpReply& failed) = 0;
};

}  // namespace carrack::data
