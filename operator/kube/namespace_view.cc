#include "operator/kube/namespace_view.h"

#include <mutex>
#include <set>
#include <utility>

#include "operator/core/plan.h"
#include "operator/error.h"
#include "operator/kube/calls.h"

namespace carrack::control {
namespace {

using nlohmann::json;

template <class Value>
std::vector<Seen<Value>> all_seen(const std::vector<json>& objects, std::optional<Seen<Value>> (*read)(const json&)) {
  std::vector<Seen<Value>> all;
  for (const json& object : objects) {
    if (auto seen = read(object)) all.push_back(*std::move(seen));
  }
  return all;
}

}  // namespace

template <class Value>
Sight Territory::sight(View<Value>& view, std::optional<Seen<Value>> (*read)(const json&)) {
  const auto wake = [this](const std::set<std::string>& concerned) {
    for (const std::string& job : concerned) callbacks_.changed(*this, job);
  };
  const auto pages = std::make_shared<std::vector<Seen<Value>>>();  // of a list that has not come to its end
  return {.page =
              [pages, read](const std::vector<json>& objects, bool begins) {
                if (begins) pages->clear();
                for (Seen<Value>& one : all_seen(objects, read)) pages->push_back(std::move(one));
              },
          .listed =
              [this, &view, pages, wake](Version version) {
                std::unique_lock lock(mutex_);
                const auto concerned = view.replace(std::exchange(*pages, {}), version);
                lock.unlock();
                wake(concerned);
              },
          .changed =
              [this, &view, read, wake](const json& object) {
                std::optional<Seen<Value>> seen = read(object);
                std::unique_lock lock(mutex_);
                const auto concerned =
                    seen ? view.put(*std::move(seen)) : view.erase(key_of(object), version_of(object));
                lock.unlock();
                wake(concerned);
              },
          .deleted =
              [this, &view, wake](const json& object) {
                std::unique_lock lock(mutex_);
                const auto concerned = view.erase(key_of(object), version_of(object));
                lock.unlock();
                wake(concerned);
              },
          .bookmark =
              [this, &view](Version version) {
                const std::lock_guard lock(mutex_);
                view.bookmark(version);
              },
          .failed = callbacks_.failed};
}

// Jobs come first, here and in refresh(): then no status is newer than the rest, and raises an incarnation that the
// rest cannot show yet. One that is older is found out when it is written.
Territory::Territory(Credentials& credentials, std::string name_space, std::uint32_t seed, Callbacks callbacks)
    : name_space_(std::move(name_space)), callbacks_(std::move(callbacks)) {
  const auto watcher = [&](Kind kind, Sight sight) {
    watchers_[static_cast<std::size_t>(kind)] = std::make_unique<Watcher>(
        credentials, kind, name_space_, seed + static_cast<std::uint32_t>(kind), std::move(sight));
  };
  watcher(Kind::job, sight(jobs_, job_seen));
  watcher(Kind::process, sight(processes_, process_seen));
  watcher(Kind::service, sight(services_, shared_seen));
  watcher(Kind::config, sight(configs_, shared_seen));
  for (const auto& one : watchers_) one->list();
}

void Territory::follow() {
  for (const auto& one : watchers_) {
    threads_.emplace_back([&watcher = *one](const std::stop_token& stop) { watcher.run(stop); });
  }
}

std::vector<std::string> Territory::jobs() const {
  const std::lock_guard lock(mutex_);
  return jobs_.jobs();
}

std::vector<Seen<SeenJob>> Territory::all_jobs() const {
  const std::lock_guard lock(mutex_);
  std::vector<Seen<SeenJob>> all;
  for (const std::string& job : jobs_.jobs()) {
    for (const auto& [name, seen] : jobs_.of(job)) all.push_back(seen);
  }
  return all;
}

bool Territory::has(const std::string& job) const {
  const std::lock_guard lock(mutex_);
  return !jobs_.of(job).empty();
}

Snapshot Territory::snapshot(const std::string& job) const {
  const std::lock_guard lock(mutex_);
  Snapshot snapshot;
  snapshot.seen = {jobs_.seen(job), processes_.seen(job), services_.seen(job), configs_.seen(job)};
  const auto& known = jobs_.of(job);
  if (known.empty() || known.begin()->second.value.leaves) return snapshot;
  const Seen<SeenJob>& seen = known.begin()->second;
  const JobSpec& spec = seen.value.spec;
  snapshot.job = {spec, seen.value.status, seen.version};
  for (const auto& [name, process] : processes_.of(job)) {
    const ObservedProcess& shown = process.value.shown;
    const bool ours = process.value.job_uid == spec.uid && name == process_name(spec, shown.member, shown.fence);
    if (ours) snapshot.observed.processes.push_back(shown);
  }
  snapshot.observed.has_service = services_.of(job).contains(service_name(spec));
  snapshot.observed.has_config = configs_.of(job).contains(config_name(spec));
  return snapshot;
}

std::optional<Unreadable> Territory::unreadable(const std::string& job) const {
  const std::lock_guard lock(mutex_);
  const auto& known = jobs_.of(job);
  if (known.empty() || known.begin()->second.value.problems.empty()) return std::nullopt;
  const SeenJob& seen = known.begin()->second.value;
  return Unreadable{seen.spec.uid, "the TrainingJob that the server has cannot be read, " + describe(seen.problems) +
                                       "; is its definition of another release than the operator?"};
}

std::optional<Teller> Territory::teller_of(const std::string& job) const {
  const std::lock_guard lock(mutex_);
  std::optional<Teller> teller;
  const auto& known = jobs_.of(job);
  if (known.empty()) return teller;
  const JobSpec& spec = known.begin()->second.value.spec;
  const std::string& uid = spec.uid;
  for (const auto& [name, process] : processes_.of(job)) {
    const ObservedProcess& shown = process.value.shown;
    if (process.value.job_uid != uid) continue;  // Of an earlier job of the same name.
    if (shown.member != leader_of(spec.config.strategy)) continue;
    if (shown.state != ProcessState::running || process.value.progress.empty()) continue;
    if (!teller || teller->fence < shown.fence) teller = {uid, shown.fence, process.value.progress};
  }
  return teller;
}

template <class Value>
void Territory::refresh(const Ask& ask, Kind kind, const std::string& job, View<Value>& view,
                        std::optional<Seen<Value>> (*read)(const json&)) {
  const auto known = [&] {
    const std::lock_guard lock(mutex_);
    return view.seen(job);
  };
  const Version before = known();
  const ApiRequest request = list_of_job_call(kind, job_key_of(job));
  const Listing now = listing_in(ask(request), request);
  if (now.version < before) callbacks_.failed(restored(kind, before, now.version));
  std::vector<Seen<Value>> all = all_seen(now.items, read);
  const std::lock_guard lock(mutex_);
  view.replace_job(job, std::move(all), now.version);
}

void Territory::refresh(const Ask& ask, const std::string& job) {
  refresh(ask, Kind::job, job, jobs_, job_seen);
  refresh(ask, Kind::process, job, processes_, process_seen);
  refresh(ask, Kind::service, job, services_, shared_seen);
  refresh(ask, Kind::config, job, configs_, shared_seen);
}

}  // namespace carrack::control
