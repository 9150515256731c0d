#include "operator/kube/kube_cluster.h"

#include <algorithm>
#include <utility>

#include "operator/codec/job.h"
#include "operator/error.h"
#include "operator/kube/calls.h"

namespace carrack::control {
namespace {

constexpr int not_found = 404;
constexpr int conflict = 409;
constexpr int unprocessable = 422;
constexpr int too_many = 429;

// What became of a change, where nothing else follows from what was asked.
Reply reply_of(const ApiReply& reply) {
  if (is_success(reply)) return {Answer::done, version_of(parsed(reply.body)), ""};
  const ApiStatus status = status_of(reply);
  if (status.reason == "AlreadyExists") return {Answer::already, 0, ""};
  if (reply.status == conflict) return {Answer::conflict, 0, status.message};
  const bool may_be_done = reply.status == too_many || reply.status >= 500;
  return {may_be_done ? Answer::unanswered : Answer::refused, 0, status.message};
}

}  // namespace

KubeCluster::KubeCluster(Credentials& credentials, const Clock& clock, KubeSettings settings)
    : settings_(std::move(settings)),
      client_(credentials),
      events_(credentials, clock),
      progress_([this](const std::string& job) { wake(job); }) {
  const Territory::Callbacks callbacks{[this](const Territory& there, const std::string& job) { changed(there, job); },
                                       settings_.failed};
  std::vector<std::string> namespaces = settings_.namespaces;
  if (namespaces.empty()) namespaces.emplace_back();
  for (const std::string& one : namespaces) {
    territories_.push_back(std::make_unique<Territory>(credentials, one, settings_.seed, callbacks));
  }
  for (const auto& territory : territories_) territory->follow();  // Now that nothing is added any more.
}

Territory* KubeCluster::territory_of(const std::string& job) {
  const std::string name_space = job_key_of(job).name_space;
  const auto found = std::find_if(territories_.begin(), territories_.end(), [&](const auto& one) {
    return one->name_space().empty() || one->name_space() == name_space;
  });
  return found == territories_.end() ? nullptr : found->get();
}

Snapshot KubeCluster::observe(const std::string& job, Reading reading) {
  Territory* const territory = territory_of(job);
  if (!territory) return {};
  if (reading == Reading::quorum) {
    territory->refresh([this](const ApiRequest& request) { return ask(request); }, job);
    follow(*territory, job);
  }
  expect_readable(*territory, job);
  Snapshot snapshot = territory->snapshot(job);
  if (snapshot.job) snapshot.observed.report = progress_.of(job, snapshot.job->spec.uid);
  return snapshot;
}

// Each reason is told once, however often the job is looked at.
void KubeCluster::expect_readable(const Territory& there, const std::string& job) {
  const auto unreadable = there.unreadable(job);
  if (!unreadable) return;
  std::string& said = unreadable_[unreadable->job_uid];
  if (std::exchange(said, unreadable->why) != unreadable->why) {
    events_.write(job, unreadable->job_uid,
                  {{.warning = true, .reason = "Unreadable", .note = note_of(unreadable->why)}});
  }
  throw Error(Blame::bug, job + ": " + unreadable->why);
}

Reply KubeCluster::put_status(const std::string& job, Version read, const JobStatus& status) {
  Territory* const territory = territory_of(job);
  const Snapshot before = territory ? territory->snapshot(job) : Snapshot();
  Reply reply = send(put_status_call(job_key_of(job), read, status));
  if (reply.answer == Answer::done && before.job && before.job->version == read) {
    events_.write(job, before.job->spec.uid, events_between(before.job->status, status));
  }
  return reply;
}

Reply KubeCluster::apply(const std::string& job, const JobSpec& spec, const Action& action) {
  return send(action_call(job_key_of(job), spec, action, settings_.pods));
}

ApiReply KubeCluster::ask(const ApiRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  const auto tell = [&](std::optional<int> status) {
    settings_.asked({verb_of(request), resource_of(request), status, std::chrono::steady_clock::now() - begin});
  };
  try {
    ApiReply reply = client_.call(request);
    tell(reply.status);
    return reply;
  } catch (const Error&) {
    tell(std::nullopt);
    throw;
  }
}

Reply KubeCluster::send(const ApiRequest& request) {
  try {
    const ApiReply reply = ask(request);
    // What was to be taken away is not there.
    if (reply.status == not_found && (request.method == "DELETE" || request.method == "PATCH")) {
      return {Answer::already, 0, ""};
    }
    if (reply.status == unprocessable && request.method == "PATCH") return {Answer::already, 0, ""};
    return reply_of(reply);
  } catch (const Error& lost) {
    return {Answer::unanswered, 0, lost.what()};
  }
}

std::map<std::string, std::size_t> KubeCluster::jobs_by_state() const {
  std::map<std::string, std::size_t> counts;
  for (const auto& territory : territories_) {
    for (const Seen<SeenJob>& job : territory->all_jobs()) ++counts[state_of(job.value.status)];
  }
  return counts;
}

void KubeCluster::watch(std::function<void(const std::string& job)> wake) {
  {
    const std::lock_guard lock(wake_mutex_);
    wake_ = std::move(wake);
  }
  for (const auto& territory : territories_) {
    for (const std::string& job : territory->jobs()) changed(*territory, job);
  }
}

// From the watches' threads.
void KubeCluster::changed(const Territory& there, const std::string& job) {
  follow(there, job);
  wake(job);
}

void KubeCluster::follow(const Territory& there, const std::string& job) {
  const std::lock_guard lock(follow_mutex_);
  if (const std::optional<Teller> teller = there.teller_of(job)) {
    progress_.follow(job, *teller);
  } else if (there.has(job)) {
    progress_.leave(job);
  } else {
    progress_.forget(job);
  }
}

void KubeCluster::wake(const std::string& job) {
  const std::lock_guard lock(wake_mutex_);
  if (wake_) wake_(job);
}

}  // namespace carrack::control
