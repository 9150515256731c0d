// Contents of objects in memory, so that downloads come as fast as this machine sends: the server is not asked for what
// it gave before. For many threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/gcs/upstream.h"

namespace carrack::tests {

// The first and the last byte that "bytes=A-B", "bytes=A-" or "bytes=-N" asks for of so many; nothing for what GCS
// answers with 416. Pure.
std::optional<std::pair<std::uint64_t, std::uint64_t>> asked_range(const std::string& range, std::uint64_t size);

class HeldObjects {
 public:
  // Of an object whose generation that is.
  Reply download(Request request, std::int64_t generation, Upstream& upstream);

 private:
  std::shared_ptr<const Reply> held(const Request& whole, std::int64_t generation, Upstream& upstream);

  std::mutex mutex_;                                                                   // Guards held_.
  std::map<std::pair<std::string, std::int64_t>, std::shared_ptr<const Reply>> held_;  // By path and generation.
};

}  // namespace carrack::tests
