#include "operator/kube/namespace_view.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "operator/codec/job.h"
#include "operator/core/plan.h"
#include "operator/error.h"
#include "operator/kube/calls.h"

namespace carrack::control {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds list_retry_interval{2};

template <class Value>
std::vector<WatchedObject<Value>> read_all(const std::vector<json>& objects,
                                           std::optional<WatchedObject<Value>> (*read)(const json&)) {
  std::vector<WatchedObject<Value>> all;
  for (const json& object : objects) {
    if (auto seen = read(object)) all.push_back(*std::move(seen));
  }
  return all;
}

// Anybody may create a pod with our labels. A pod belongs to the job only if the job owns it and its name agrees with
// its labels.
bool belongs_to(const WatchedObject<PodObject>& pod, const JobSpec& spec) {
  const ObservedProcess& process = pod.value.process;
  return pod.value.job_uid == spec.uid && pod.name == process_name(spec, process.member, process.fence);
}

bool has_own(const View<SharedObject>::Objects& objects, const std::string& name, const JobSpec& spec) {
  const auto found = objects.find(name);
  return found != objects.end() && found->second.value.job_uid == spec.uid;
}

// Returns the problems of the spec if `of_spec`, else all others.
std::vector<Problem> problems_of(const JobObject& job, bool of_spec) {
  std::vector<Problem> some;
  std::ranges::copy_if(job.problems, std::back_inserter(some), [&](const Problem& problem) {
    return of_spec == (problem.field == "spec" || problem.field.starts_with("spec."));
  });
  return some;
}

}  // namespace

template <class Value>
WatchHandlers NamespaceView::watch_handlers(View<Value>& view,
                                            std::optional<WatchedObject<Value>> (*read)(const json&)) {
  const auto wake = [this](const std::set<std::string>& concerned) {
    if (why_unlisted()) return;  // Some kinds are not listed yet. At its end list() calls on_change for all jobs.
    for (const std::string& job : concerned) callbacks_.on_change(*this, job);
  };
  // The objects of the pages that were read so far; view.replace() gets them once the list is complete.
  const auto pages = std::make_shared<std::vector<WatchedObject<Value>>>();
  return {.page =
              [pages, read](const std::vector<json>& objects, bool is_first) {
                if (is_first) pages->clear();
                for (WatchedObject<Value>& one : read_all(objects, read)) pages->push_back(std::move(one));
              },
          .listed =
              [this, &view, pages, wake](Version version) {
                MutexLock lock(mutex_);
                const auto concerned = view.replace(std::exchange(*pages, {}), version);
                lock.unlock();
                wake(concerned);
              },
          .changed =
              [this, &view, read, wake](const json& object) {
                std::optional<WatchedObject<Value>> seen = read(object);
                MutexLock lock(mutex_);
                const auto concerned =
                    seen ? view.put(*std::move(seen)) : view.erase(object_key(object), version_of(object));
                lock.unlock();
                wake(concerned);
              },
          .deleted =
              [this, &view, wake](const json& object) {
                MutexLock lock(mutex_);
                const auto concerned = view.erase(object_key(object), version_of(object));
                lock.unlock();
                wake(concerned);
              },
          .bookmark =
              [this, &view](Version version) {
                const MutexLock lock(mutex_);
                view.bookmark(version);
              },
          .failed = callbacks_.on_failure};
}

NamespaceView::NamespaceView(Credentials& credentials, std::string name_space, std::uint32_t seed, Callbacks callbacks)
    : name_space_(std::move(name_space)), callbacks_(std::move(callbacks)) {
  const auto watcher = [&](Kind kind, WatchHandlers watch_handlers) {
    watchers_[static_cast<std::size_t>(kind)] = std::make_unique<Watcher>(
        credentials, kind, name_space_, seed + static_cast<std::uint32_t>(kind), std::move(watch_handlers));
  };
  watcher(Kind::job, watch_handlers(jobs_, read_job));
  watcher(Kind::process, watch_handlers(pods_, read_pod));
  watcher(Kind::service, watch_handlers(services_, read_shared_object));
  watcher(Kind::config, watch_handlers(configs_, read_shared_object));
}

// Jobs are listed before pods, here and in refresh(), so that a status is never newer than the pods. A newer status
// could name an incarnation (a start of a member) whose pod is not seen yet. A status that is too old does no harm: the
// server refuses to overwrite the newer one.
bool NamespaceView::list() {
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    try {
      watchers_[kind]->list();
    } catch (const Error& error) {
      callbacks_.on_failure({static_cast<Kind>(kind), name_space_, "Error", error.what()});
      const MutexLock lock(mutex_);
      unlisted_ = error.what();
      return false;
    }
  }
  {
    const MutexLock lock(mutex_);
    unlisted_.reset();
  }
  for (const std::string& job : jobs()) callbacks_.on_change(*this, job);
  return true;
}

void NamespaceView::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void NamespaceView::run(const std::stop_token& stop) {
  while (why_unlisted() && !stop.stop_requested()) {
    sleep_for(list_retry_interval, stop);
    if (!stop.stop_requested()) list();
  }
  std::vector<std::jthread> watches;
  for (const auto& one : watchers_) {
    watches.emplace_back([&watcher = *one, stop] { watcher.run(stop); });
  }
}

std::optional<std::string> NamespaceView::why_unlisted() const {
  const MutexLock lock(mutex_);
  return unlisted_;
}

std::vector<WatchSilence> NamespaceView::watch_silences() const {
  std::vector<WatchSilence> silences;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    silences.push_back({static_cast<Kind>(kind), name_space_, watchers_[kind]->silent_for()});
  }
  return silences;
}

std::vector<std::string> NamespaceView::jobs() const {
  const MutexLock lock(mutex_);
  return unlisted_ ? std::vector<std::string>() : jobs_.jobs();
}

void NamespaceView::count_states(std::map<std::string, std::size_t>& counts) const {
  const MutexLock lock(mutex_);
  jobs_.for_each_object([&](const WatchedObject<JobObject>& job) { ++counts[state_of(job.value.status)]; });
}

bool NamespaceView::has(const std::string& job) const {
  const MutexLock lock(mutex_);
  return !jobs_.objects_of(job).empty();
}

std::variant<Snapshot, Unreadable> NamespaceView::snapshot(const std::string& job) const {
  const MutexLock lock(mutex_);
  Snapshot snapshot;
  snapshot.seen = {jobs_.version_of(job), pods_.version_of(job), services_.version_of(job), configs_.version_of(job)};
  const auto& known = jobs_.objects_of(job);
  if (known.empty() || known.begin()->second.value.is_being_deleted) return snapshot;
  const WatchedObject<JobObject>& seen = known.begin()->second;
  const JobSpec& spec = seen.value.spec;
  if (const std::vector<Problem> problems = problems_of(seen.value, false); !problems.empty()) {
    return Unreadable{spec.uid, "the TrainingJob cannot be decoded, " + describe(problems) +
                                    "; is the cluster's CRD of another release than the operator?"};
  }
  snapshot.job = {spec, seen.value.status, seen.version, describe(problems_of(seen.value, true))};
  for (const auto& [name, pod] : pods_.objects_of(job)) {
    if (belongs_to(pod, spec)) snapshot.observed.processes.push_back(pod.value.process);
  }
  snapshot.observed.has_service = has_own(services_.objects_of(job), service_name(spec), spec);
  snapshot.observed.has_config = has_own(configs_.objects_of(job), config_name(spec), spec);
  return snapshot;
}

std::optional<WatchedObject<JobObject>> NamespaceView::find_job(const std::string& job) const {
  const MutexLock lock(mutex_);
  const auto& known = jobs_.objects_of(job);
  return known.empty() ? std::nullopt : std::optional(known.begin()->second);
}

std::optional<ProgressSource> NamespaceView::progress_source_of(const std::string& job) const {
  const MutexLock lock(mutex_);
  std::optional<ProgressSource> source;
  const auto& known = jobs_.objects_of(job);
  if (known.empty()) return source;
  const JobSpec& spec = known.begin()->second.value.spec;
  if (spec.own) return source;  // With strategy Own processes report no progress.
  for (const auto& [name, pod] : pods_.objects_of(job)) {
    const ObservedProcess& process = pod.value.process;
    if (!belongs_to(pod, spec) || process.member != leader_of(spec)) continue;
    if (process.state != ProcessState::running || pod.value.progress_address.empty()) continue;
    if (!source || source->fence < process.fence) source = {spec.uid, process.fence, pod.value.progress_address};
  }
  return source;
}

template <class Value>
void NamespaceView::refresh(const SendRequest& send, Kind kind, const std::string& job,
                            View<Value> NamespaceView::*view,
                            std::optional<WatchedObject<Value>> (*read)(const json&)) {
  Version before = 0;
  {
    const MutexLock lock(mutex_);
    before = (this->*view).version_of(job);
  }
  const ApiRequest request = list_of_job_call(kind, job_key_of(job));
  const Listing now = listing_in(send(request), request);
  if (now.version < before) callbacks_.on_failure(restored_failure(kind, name_space_, before, now.version));
  std::vector<WatchedObject<Value>> all = read_all(now.items, read);
  const MutexLock lock(mutex_);
  (this->*view).replace_job(job, std::move(all), now.version);
}

void NamespaceView::refresh(const SendRequest& send, const std::string& job) {
  refresh(send, Kind::job, job, &NamespaceView::jobs_, read_job);
  refresh(send, Kind::process, job, &NamespaceView::pods_, read_pod);
  refresh(send, Kind::service, job, &NamespaceView::services_, read_shared_object);
  refresh(send, Kind::config, job, &NamespaceView::configs_, read_shared_object);
}

}  // namespace carrack::control
