// RangeClient: how the engine of this folder sends requests to one service. Each remote storage has one implementation,
// which adds the credentials. Safe for many threads.
#pragma once

#include <chrono>
#include <string>

#include "dataloader/http/request.h"
#include "dataloader/storage/remote/backoff.h"

namespace carrack::data {

class RangeClient {
 public:
  virtual ~RangeClient() = default;

  // Tries once. A failure is in the reply. Throws Error if there is no token.
  virtual HttpReply send(HttpRequest request) = 0;
  virtual Backoff backoff() = 0;
  // How long the caller has to wait before it tries again; throws Error, naming `url`, if no try is left.
  virtual std::chrono::milliseconds retry_delay(Backoff& backoff, const std::string& url, const HttpReply& failed) = 0;
};

}  // namespace carrack::data
