#include "tests/support/gcs/object_locks.h"

#include <functional>
#include <set>
#include <string>

namespace carrack::tests {

ObjectLocks::Locks ObjectLocks::lock(const std::vector<ObjectName>& objects) {
  std::set<std::size_t> numbers;
  for (const ObjectName& object : objects) {
    numbers.insert(std::hash<std::string>()(object.bucket + "/" + object.name) % mutexes_.size());
  }
  Locks locks;
  for (const std::size_t number : numbers) locks.emplace_back(mutexes_[number]);
  return locks;
}

std::int64_t Metagenerations::of(const ObjectName& object, std::int64_t generation) const {
  const MutexLock lock(mutex_);
  const auto found = raised_.find({object, generation});
  return found == raised_.end() ? 1 : found->second;
}

void Metagenerations::raise(const ObjectName& object, std::int64_t generation) {
  const MutexLock lock(mutex_);
  ++raised_.try_emplace({object, generation}, 1).first->second;
}

void Metagenerations::correct(nlohmann::json& reply) const {
  if (!reply.is_structured()) return;
  if (reply.is_object() && reply.contains("generation") && reply.contains("bucket") && reply.contains("name")) {
    const ObjectName object{reply["bucket"].get<std::string>(), reply["name"].get<std::string>()};
    reply["metageneration"] = std::to_string(of(object, std::stoll(reply["generation"].get<std::string>())));
    return;
  }
  for (auto& part : reply) correct(part);
}

}  // namespace carrack::tests
