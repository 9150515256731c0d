// HeldObjects: keeps downloaded objects in memory, so that later downloads are as fast as this machine can send. Safe
// for many threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dataloader/mutex.h"
#include "tests/support/gcs/upstream.h"

namespace carrack::tests {

// The first and the last byte of a Range header "bytes=A-B", "bytes=A-" or "bytes=-N", for an object of `size` bytes;
// nullopt for a range that GCS answers with 416. Pure.
std::optional<std::pair<std::uint64_t, std::uint64_t>> requested_range(const std::string& range, std::uint64_t size);

class HeldObjects {
 public:
  // Answers a download request for an object that has this generation.
  Reply download(Request request, std::int64_t generation, Upstream& upstream);

 private:
  // The reply to a request without a range, from memory or else from the server.
  std::shared_ptr<const Reply> find_or_download(const Request& request, std::int64_t generation, Upstream& upstream);

  Mutex mutex_;
  // By path and generation.
  std::map<std::pair<std::string, std::int64_t>, std::shared_ptr<const Reply>> objects_ GUARDED_BY(mutex_);
};

}  // namespace carrack::tests
