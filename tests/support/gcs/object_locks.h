// What the proxy must remember of objects: which are being changed, and how often their metadata was.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/support/gcs/gcs_request.h"

namespace carrack::tests {

// Two objects may share a lock; an object always has the same one.
class ObjectLocks {
 public:
  using Held = std::vector<std::unique_lock<std::mutex>>;

  // Locks all of them, in one order for every caller.
  Held hold(const std::vector<ObjectName>& objects);

 private:
  std::array<std::mutex, 64> locks_;
};

// 1 for a new generation, one more with each change of its metadata.
class Metagenerations {
 public:
  std::int64_t of(const ObjectName& object, std::int64_t generation) const;
  void raise(const ObjectName& object, std::int64_t generation);
  // Corrects every object resource within a JSON reply.
  void correct(nlohmann::json& reply) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<ObjectName, std::int64_t>, std::int64_t> raised_;
};

}  // namespace carrack::tests
