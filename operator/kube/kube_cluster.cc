#include "operator/kube/kube_cluster.h"

#include <algorithm>
#include <utility>

#include "operator/codec/job.h"
#include "operator/core/printable.h"
#include "operator/core/reasons.h"
#include "operator/error.h"
#include "operator/kube/calls.h"
#include "operator/kube/replies.h"

namespace carrack::control {
KubeCluster::KubeCluster(Credentials& credentials, const Clock& clock, KubeSettings settings)
    : settings_(std::move(settings)),
      client_(credentials),
      events_(credentials, clock),
      progress_([this](const std::string& job) { wake(job); }) {
  const NamespaceView::Callbacks callbacks{
      .on_change = [this](const NamespaceView& view, const std::string& job) { on_change(view, job); },
      .on_failure = settings_.on_watch_failure};
  std::vector<std::string> namespaces = settings_.namespaces;
  if (namespaces.empty()) namespaces.emplace_back();
  for (const std::string& one : namespaces) {
    namespace_views_.push_back(std::make_unique<NamespaceView>(credentials, one, settings_.seed, callbacks));
  }
  // Only now: the watches' threads read namespace_views_.
  for (const auto& view : namespace_views_) view->start_watches();
}

NamespaceView* KubeCluster::namespace_view_of(const std::string& job) {
  const std::string name_space = job_key_of(job).name_space;
  const auto found = std::find_if(namespace_views_.begin(), namespace_views_.end(), [&](const auto& one) {
    return one->name_space().empty() || one->name_space() == name_space;
  });
  return found == namespace_views_.end() ? nullptr : found->get();
}

Snapshot KubeCluster::observe(const std::string& job, Reading reading) {
  NamespaceView* const view = namespace_view_of(job);
  if (!view) return {};
  if (reading == Reading::quorum) {
    view->refresh([this](const ApiRequest& request) { return send(request); }, job);
    follow_progress(*view, job);
  }
  require_readable(*view, job);
  Snapshot snapshot = view->snapshot(job);
  snapshot.observed.trainer_image = settings_.pods.image;
  if (!snapshot.job) return snapshot;
  snapshot.observed.report = progress_.report_of(job, snapshot.job->spec.uid);
  snapshot.observed.report_unreachable = progress_.is_unreachable(job, snapshot.job->spec.uid);
  return snapshot;
}

// Writes one event for each error, however many passes find it.
void KubeCluster::require_readable(const NamespaceView& view, const std::string& job) {
  const auto unreadable = view.unreadable(job);
  if (!unreadable) {
    unreadable_.erase(job);
    return;
  }
  if (std::exchange(unreadable_[job], *unreadable) != *unreadable) {
    events_.write(
        job, unreadable->job_uid,
        {{.warning = true, .reason = reasons::unreadable, .note = printable(unreadable->error, message_bytes_max)}});
  }
  throw Error(Blame::bug, job + ": " + unreadable->error);
}

Reply KubeCluster::put_status(const std::string& job, Version read, const JobStatus& status) {
  NamespaceView* const view = namespace_view_of(job);
  const auto stored = view ? view->find_job(job) : std::nullopt;
  if (!stored || stored->version != read) return {WriteResult::conflict, 0, "the job has changed since it was read"};
  const JobObject& before = stored->value;
  const ApiRequest request =
      status_call(job_key_of(job), {std::to_string(read), before.status, before.newer_conditions}, status);
  Reply reply = write(request, reply_to_status);
  if (reply.result == WriteResult::done) {
    events_.write(job, before.spec.uid, events_between(before.status, status));
  }
  return reply;
}

Reply KubeCluster::apply(const std::string& job, const JobSpec& spec, const Action& action) {
  return write(action_call(job_key_of(job), spec, action, settings_.pods),
               [&](const ApiReply& reply) { return reply_to_action(reply, action); });
}

ApiReply KubeCluster::send(const ApiRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  const auto report = [&](std::optional<int> status) {
    settings_.on_request({verb_of(request), resource_of(request), status, std::chrono::steady_clock::now() - begin});
  };
  try {
    ApiReply reply = client_.call(request);
    report(reply.status);
    return reply;
  } catch (const Error&) {
    report(std::nullopt);
    throw;
  }
}

// What `read` makes of the server's reply, if there is one.
Reply KubeCluster::write(const ApiRequest& request, const std::function<Reply(const ApiReply&)>& read) {
  try {
    return read(send(request));
  } catch (const Error& error) {
    return {WriteResult::unanswered, 0, error.what()};
  }
}

std::map<std::string, std::size_t> KubeCluster::jobs_by_state() const {
  std::map<std::string, std::size_t> counts;
  for (const auto& view : namespace_views_) {
    for (const WatchedObject<JobObject>& job : view->all_jobs()) ++counts[state_of(job.value.status)];
  }
  return counts;
}

void KubeCluster::watch(std::function<void(const std::string& job)> wake) {
  {
    const MutexLock lock(wake_mutex_);
    wake_ = std::move(wake);
  }
  for (const auto& view : namespace_views_) {
    for (const std::string& job : view->jobs()) on_change(*view, job);
  }
}

// Called on the watches' threads.
void KubeCluster::on_change(const NamespaceView& view, const std::string& job) {
  follow_progress(view, job);
  wake(job);
}

void KubeCluster::follow_progress(const NamespaceView& view, const std::string& job) {
  const MutexLock lock(follow_mutex_);
  if (const std::optional<ProgressSource> source = view.progress_source_of(job)) {
    progress_.follow(job, *source);
  } else if (view.has(job)) {
    progress_.unfollow(job);
  } else {
    progress_.forget(job);
  }
}

void KubeCluster::wake(const std::string& job) {
  const MutexLock lock(wake_mutex_);
  if (wake_) wake_(job);
}

}  // namespace carrack::control
