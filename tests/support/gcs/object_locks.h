// What the proxy remembers of objects: which ones are being changed, and how often their metadata was changed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "dataloader/mutex.h"
#include "tests/support/gcs/gcs_request.h"

namespace carrack::tests {

// A lock for each object. Two objects may share one.
class ObjectLocks {
 public:
  // The number of locks is known only at run time, which thread annotations cannot express.
  using Locks = std::vector<std::unique_lock<std::mutex>>;

  // Locks all of these objects, always in the same order, so that callers cannot deadlock.
  Locks lock(const std::vector<ObjectName>& objects);

 private:
  std::array<std::mutex, 64> mutexes_;
};

// The metageneration of an object is 1 for each new generation, and rises with each change of the metadata.
class Metagenerations {
 public:
  std::int64_t of(const ObjectName& object, std::int64_t generation) const;
  void raise(const ObjectName& object, std::int64_t generation);
  // Sets the metageneration of every object resource in a JSON reply.
  void correct(nlohmann::json& reply) const;

 private:
  mutable Mutex mutex_;
  std::map<std::pair<ObjectName, std::int64_t>, std::int64_t> raised_ GUARDED_BY(mutex_);
};

}  // namespace carrack::tests
