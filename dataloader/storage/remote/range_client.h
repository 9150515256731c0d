// RangeClient: the interface by which the classes of this folder send requests to one service. Each remote storage
// implements it and adds the credentials. Must be safe for many threads.
#pragma once

#include <chrono>
#include <string>

#include "dataloader/http/request.h"
#include "dataloader/storage/remote/backoff.h"

namespace carrack::data {

class RangeClient {
 public:
  virtual ~RangeClient() = default;

  // Sends the request once and waits for the reply. A failure of the network is in the reply. Throws Error if there is
  // no token.
  virtual HttpReply send(HttpRequest request) = 0;
  // Returns a new Backoff for one operation.
  virtual Backoff backoff() = 0;
  // Returns how long the caller must wait before it tries again after the reply `failed`. Throws Error, which names
  // `url`, if no try is left. `backoff` is that of the operation.
  virtual std::chrono::milliseconds retry_delay(Backoff& backoff, const std::string& url, const HttpReply& failed) = 0;
};

}  // namespace carrack::data
