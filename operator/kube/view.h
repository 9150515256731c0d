// What is known of all objects of one kind, job by job, as a list and then a watch bring it, with how new it is. A job
// may be asked for on its own between; then what the watch still brings of before that is passed over. Labels say whose
// an object is, and may change: it is of the job that its last version names, or of none.
// Not safe from several threads.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operator/kube/objects.h"

namespace carrack::control {

template <class Value>
class View {
 public:
  using Objects = std::map<std::string, Seen<Value>>;  // by name
  using Jobs = std::set<std::string>;

  // All there was at `version`. Gives the jobs that it concerns: those that were known before, and those that are now.
  Jobs replace(std::vector<Seen<Value>> all, Version version) {
    Jobs concerned;
    for (auto& [job, own] : jobs_) {
      concerned.insert(job);
      if (own.as_of <= version) clear(job, own);
    }
    version_ = std::max(version_, version);
    for (Seen<Value>& one : all) {
      concerned.insert(one.job);
      if (jobs_[one.job].as_of <= version) keep(std::move(one));
    }
    forget_the_gone();
    return concerned;
  }

  // All there was of one job at `version`.
  void replace_job(const std::string& job, std::vector<Seen<Value>> all, Version version) {
    if (version < seen(job)) return;
    OfJob& own = jobs_[job];
    own.as_of = version;
    clear(job, own);
    for (Seen<Value>& one : all) keep(std::move(one));
  }

  // As the watch brings it. Gives the jobs that it concerns.
  Jobs put(Seen<Value> one) {
    Jobs concerned = erase(one.key(), one.version);
    concerned.insert(one.job);
    if (one.version > jobs_[one.job].as_of) keep(std::move(one));
    return concerned;
  }

  // It is gone, or no longer of any job.
  Jobs erase(const std::string& key, Version version) {
    version_ = std::max(version_, version);
    Jobs concerned;
    const auto homes = homes_.find(key);
    if (homes == homes_.end()) return concerned;
    for (const std::string& job : homes->second) {
      OfJob& own = jobs_.at(job);
      if (version <= own.as_of) continue;
      own.objects.erase(name_in(key));
      concerned.insert(job);
    }
    for (const std::string& job : concerned) homes->second.erase(job);
    if (homes->second.empty()) homes_.erase(homes);
    return concerned;
  }

  // Nothing else has happened up to `version`.
  void bookmark(Version version) {
    version_ = std::max(version_, version);
    forget_the_gone();
  }

  const Objects& of(const std::string& job) const {
    static const Objects none;
    const auto own = jobs_.find(job);
    return own == jobs_.end() ? none : own->second.objects;
  }

  // How new what is known of this job is.
  Version seen(const std::string& job) const {
    const auto own = jobs_.find(job);
    return own == jobs_.end() ? version_ : std::max(version_, own->second.as_of);
  }

  std::vector<std::string> jobs() const {
    std::vector<std::string> names;
    for (const auto& [job, own] : jobs_) {
      if (!own.objects.empty()) names.push_back(job);
    }
    return names;
  }

 private:
  struct OfJob {
    Version as_of = 0;  // when it was asked for on its own
    Objects objects;
  };

  static std::string name_in(const std::string& key) { return key.substr(key.find('/') + 1); }

  void keep(Seen<Value> one) {
    homes_[one.key()].insert(one.job);
    Objects& objects = jobs_[one.job].objects;
    std::string name = one.name;
    objects.insert_or_assign(std::move(name), std::move(one));
  }

  void clear(const std::string& job, OfJob& own) {
    for (const auto& [name, one] : own.objects) {
      const auto homes = homes_.find(one.key());
      homes->second.erase(job);
      if (homes->second.empty()) homes_.erase(homes);
    }
    own.objects.clear();
  }

  void forget_the_gone() {
    std::erase_if(jobs_,
                  [this](const auto& job) { return job.second.objects.empty() && job.second.as_of <= version_; });
  }

  Version version_ = 0;
  std::map<std::string, OfJob> jobs_;
  std::map<std::string, Jobs> homes_;  // by key: the jobs that show an object; more than one until the watch catches up
};

}  // namespace carrack::control
