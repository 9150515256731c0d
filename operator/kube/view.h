// View is the operator's in-memory copy of the objects of one Kubernetes kind, such as pods, grouped by job: what
// client-go calls the store of an informer. NamespaceView fills it from a list and from the events of the watch after
// it.
// - A version is a resourceVersion.
// - The objects of one job may also be listed separately, by a quorum read. Events of the watch about that job that are
//   older than this list are then ignored.
// - An object belongs to the job that its labels name. Labels may change, so it may move to another job or to none.
// Keys of jobs and of objects are namespace/name. Not thread-safe.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "operator/kube/objects.h"

namespace carrack::control {

template <class Value>
class View {
 public:
  using Objects = std::map<std::string, WatchedObject<Value>>;  // by name
  using Jobs = std::set<std::string>;

  // Replaces all objects by a list of this version, except those of jobs that were listed separately at a later
  // version. `version` must not be below that of an earlier list, event or bookmark: this is not checked, and the older
  // objects would replace newer ones. Returns the jobs that were known before or are in the list.
  Jobs replace(std::vector<WatchedObject<Value>> all, Version version) {
    Jobs concerned;
    for (auto& [job, own] : jobs_) {
      concerned.insert(job);
      if (own.as_of <= version) clear(job, own);
    }
    version_ = std::max(version_, version);
    for (WatchedObject<Value>& one : all) {
      concerned.insert(one.job);
      if (jobs_[one.job].as_of <= version) insert(std::move(one));
    }
    forget_empty_jobs();
    return concerned;
  }

  // Replaces the objects of one job by a separate list of that job's objects. Does nothing if `version` is below
  // version_of(job).
  void replace_job(const std::string& job, std::vector<WatchedObject<Value>> all, Version version) {
    if (version < version_of(job)) return;
    OfJob& own = jobs_[job];
    own.as_of = version;
    clear(job, own);
    for (WatchedObject<Value>& one : all) insert(std::move(one));
  }

  // Call it for an event about an object that was added or changed. Returns its job, even if the event was too old to
  // change anything, and other jobs that lost the object by it.
  Jobs put(WatchedObject<Value> one) {
    Jobs concerned = erase(one.key(), one.version);
    concerned.insert(one.job);
    if (one.version > jobs_[one.job].as_of) insert(std::move(one));
    return concerned;
  }

  // Call it for an object that was deleted, or that belongs to no job any more. `key` is namespace/name of the object,
  // and `version` the version of that change. Returns the jobs that lost the object; empty if none did.
  Jobs erase(const std::string& key, Version version) {
    version_ = std::max(version_, version);
    Jobs concerned;
    const auto jobs = jobs_of_object_.find(key);
    if (jobs == jobs_of_object_.end()) return concerned;
    for (const std::string& job : jobs->second) {
      OfJob& own = jobs_.at(job);
      if (version <= own.as_of) continue;
      own.objects.erase(name_in(key));
      concerned.insert(job);
    }
    for (const std::string& job : concerned) jobs->second.erase(job);
    if (jobs->second.empty()) jobs_of_object_.erase(jobs);
    return concerned;
  }

  // Call it when the watch reports that it has sent all events up to `version`.
  void bookmark(Version version) {
    version_ = std::max(version_, version);
    forget_empty_jobs();
  }

  // Returns the objects of a job, by name; empty for an unknown job. The reference is valid until this view changes.
  const Objects& objects_of(const std::string& job) const {
    static const Objects none;
    const auto own = jobs_.find(job);
    return own == jobs_.end() ? none : own->second.objects;
  }

  // The version up to which the objects of this job are known. For an unknown job, that of the whole view.
  Version version_of(const std::string& job) const {
    const auto own = jobs_.find(job);
    return own == jobs_.end() ? version_ : std::max(version_, own->second.as_of);
  }

  // The keys of the jobs that have objects.
  std::vector<std::string> jobs() const {
    std::vector<std::string> names;
    for (const auto& [job, own] : jobs_) {
      if (!own.objects.empty()) names.push_back(job);
    }
    return names;
  }

  // Calls visit(object) for each object. `visit` must not change this view.
  template <class Visit>
  void for_each_object(Visit visit) const {
    for (const auto& [job, own] : jobs_) {
      for (const auto& [name, one] : own.objects) visit(one);
    }
  }

 private:
  struct OfJob {
    Version as_of = 0;  // the version at which this job was last listed separately; 0: never
    Objects objects;
  };

  static std::string name_in(const std::string& key) { return key.substr(key.find('/') + 1); }

  void insert(WatchedObject<Value> one) {
    jobs_of_object_[one.key()].insert(one.job);
    Objects& objects = jobs_[one.job].objects;
    std::string name = one.name;
    objects.insert_or_assign(std::move(name), std::move(one));
  }

  void clear(const std::string& job, OfJob& own) {
    for (const auto& [name, one] : own.objects) {
      const auto jobs = jobs_of_object_.find(one.key());
      CHECK(jobs != jobs_of_object_.end());
      CHECK(jobs->second.contains(job));
      jobs->second.erase(job);
      if (jobs->second.empty()) jobs_of_object_.erase(jobs);
    }
    own.objects.clear();
  }

  void forget_empty_jobs() {
    std::erase_if(jobs_,
                  [this](const auto& job) { return job.second.objects.empty() && job.second.as_of <= version_; });
  }

  Version version_ = 0;  // of the last list, event or bookmark
  std::map<std::string, OfJob> jobs_;
  // The jobs that have an object, by its key. There may be more than one until the watch has caught up with a job that
  // was listed separately.
  std::map<std::string, Jobs> jobs_of_object_;
};

}  // namespace carrack::control
