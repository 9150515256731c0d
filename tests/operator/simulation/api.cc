#include "tests/operator/simulation/api.h"

#include <algorithm>
#include <vector>

namespace carrack::simulation {

bool Api::has_owner(const std::string& uid) const {
  return std::any_of(jobs.objects().begin(), jobs.objects().end(),
                     [&](const auto& job) { return job.second.object.spec->uid == uid; });
}

void Api::collect_garbage() {
  std::vector<std::string> orphans;
  for (const auto& [name, pod] : pods.objects()) {
    if (!pod.object.shown.terminating && !has_owner(pod.object.owner)) orphans.push_back(name);
  }
  for (const std::string& name : orphans) {
    control::ObservedProcess shown = pods.find(name)->shown;
    shown.terminating = true;
    change_pod(name, shown);
  }
  for (Store<SharedObject>* shared : {&services, &configs, &keys}) {
    orphans.clear();
    for (const auto& [name, one] : shared->objects()) {
      if (!has_owner(one.object.owner)) orphans.push_back(name);
    }
    for (const std::string& name : orphans) shared->erase(name);
  }
}

void Api::change_pod(const std::string& name, const control::ObservedProcess& shown) {
  const PodObject* pod = pods.find(name);
  if (pod && pod->shown != shown) pods.put(name, {shown, pod->owner, pod->grace});
}

}  // namespace carrack::simulation
