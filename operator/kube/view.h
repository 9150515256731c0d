// What is known of all objects of one kind, job by job, as a list and then a watch bring it, with how new it is. A job
// may be asked for on its own between; then what the watch still brings of before that is passed over.
// Not safe from several threads.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "operator/kube/objects.h"

namespace carrack::control {

template <class Value>
class View {
 public:
  using Objects = std::map<std::string, Seen<Value>>;  // by name

  // All there was at `version`. Gives the jobs that it concerns: those that were known before, and those that are now.
  std::vector<std::string> replace(std::vector<Seen<Value>> all, Version version) {
    std::vector<std::string> concerned;
    for (auto& [job, own] : jobs_) {
      concerned.push_back(job);
      if (own.as_of <= version) own.objects.clear();
    }
    version_ = std::max(version_, version);
    for (Seen<Value>& one : all) {
      OfJob& own = jobs_[one.job];
      concerned.push_back(one.job);
      if (own.as_of <= version) own.objects.insert_or_assign(one.name, std::move(one));
    }
    forget_the_gone();
    std::sort(concerned.begin(), concerned.end());
    concerned.erase(std::unique(concerned.begin(), concerned.end()), concerned.end());
    return concerned;
  }

  // All there was of one job at `version`.
  void replace_job(const std::string& job, std::vector<Seen<Value>> all, Version version) {
    if (version < seen(job)) return;
    OfJob& own = jobs_[job];
    own.as_of = version;
    own.objects.clear();
    for (Seen<Value>& one : all) own.objects.insert_or_assign(one.name, std::move(one));
  }

  // As the watch brings it.
  void put(Seen<Value> one) {
    version_ = std::max(version_, one.version);
    OfJob& own = jobs_[one.job];
    if (one.version > own.as_of) own.objects.insert_or_assign(one.name, std::move(one));
  }

  void erase(const Seen<Value>& one) {
    version_ = std::max(version_, one.version);
    const auto own = jobs_.find(one.job);
    if (own == jobs_.end() || one.version <= own->second.as_of) return;
    own->second.objects.erase(one.name);
    if (own->second.objects.empty()) jobs_.erase(own);
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

  void forget_the_gone() {
    std::erase_if(jobs_,
                  [this](const auto& job) { return job.second.objects.empty() && job.second.as_of <= version_; });
  }

  Version version_ = 0;
  std::map<std::string, OfJob> jobs_;
};

}  // namespace carrack::control
