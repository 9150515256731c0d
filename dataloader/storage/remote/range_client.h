// RangeClient: the interface by which the classes of this folder send requests to one service. Each remote storage has
// one implementation, which adds the credentials. Safe for many threads.
#pragma once

#include <chrono>
#include <string>

#include "dataloader/http/request.h"
#include "dataloader/storage/remote/backoff.h"

namespace carrack::data {

class RangeClient {
 public:
  virtual ~RangeClient() = default;

  // Tries once. A failure is in the reply. Throws Error if no token can be got.
  virtual HttpReply send(HttpRequest request) = 0;
  // Returns a Backoff for one operation.
  virtual Backoff backoff() = 0;
  // Returns how long the caller must wait before it tries again after the `failed` reply. Throws Error, naming `url`,
  // if no try is left.
  virtual std::chrono::milliseconds retry_delay(Backoff& backoff, const std::string& url, const HttpReply& failed) = 0;
};

}  // namespace carrack::data
