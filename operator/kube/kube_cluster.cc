#include "operator/kube/kube_cluster.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "operator/core/plan.h"
#include "operator/core/printable.h"
#include "operator/core/reasons.h"
#include "operator/error.h"
#include "operator/kube/calls.h"
#include "operator/kube/manifests.h"
#include "operator/kube/replies.h"
#include "operator/runtime/new_key.h"

namespace carrack::control {

KubeCluster::KubeCluster(Credentials& credentials, const Clock& clock, KubeSettings settings)
    : settings_(std::move(settings)),
      clients_(credentials),
      events_(credentials, clock),
      progress_([this](const std::string& job) { wake(job); }) {
  const NamespaceView::Callbacks callbacks{
      .on_change = [this](const NamespaceView& view, const std::string& job) { on_change(view, job); },
      .on_failure = settings_.on_watch_failure};
  std::vector<std::string> namespaces = settings_.namespaces;
  if (namespaces.empty()) namespaces.emplace_back();
  bool any_is_listed = false;
  for (const std::string& one : namespaces) {
    namespace_views_.push_back(std::make_unique<NamespaceView>(credentials, one, settings_.seed, callbacks));
    any_is_listed |= namespace_views_.back()->list();
  }
  if (!any_is_listed) throw Error(Blame::platform, *namespace_views_.front()->why_unlisted());
  // The views start only after the loop above, because their threads read namespace_views_, which the loop changes.
  for (const auto& view : namespace_views_) view->start();
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
  if (const auto why = view->why_unlisted()) throw Error(Blame::platform, *why);
  if (reading == Reading::quorum) {
    view->refresh([this](const ApiRequest& request) { return send(request); }, job);
    follow_progress(*view, job);
  }
  std::variant<Snapshot, Unreadable> seen = view->snapshot(job);
  require_readable(job, seen);
  auto& snapshot = std::get<Snapshot>(seen);
  snapshot.observed.trainer_image = settings_.pods.image;
  if (!snapshot.job) return std::move(snapshot);
  snapshot.observed.worker_selector = worker_selector(snapshot.job->spec);
  // If the age were read after the report, it could be that of a newer report, and the job could count as stalled
  // although it has made a step.
  snapshot.observed.report_age = progress_.report_age(job, snapshot.job->spec.uid);
  snapshot.observed.report = progress_.report_of(job, snapshot.job->spec.uid);
  snapshot.observed.report_unreachable = progress_.is_unreachable(job, snapshot.job->spec.uid);
  return std::move(snapshot);
}

// Throws if the job cannot be decoded. Each pass over the job finds the same error again, so this writes an event only
// if the error is new.
void KubeCluster::require_readable(const std::string& job, const std::variant<Snapshot, Unreadable>& seen) {
  const auto* unreadable = std::get_if<Unreadable>(&seen);
  const MutexLock lock(unreadable_mutex_);
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
  Reply reply = write(request, [&](const ApiReply& answer) {
    report_dropped_field(job, before.spec.uid, request, answer);
    return reply_to_status(answer);
  });
  if (reply.result == WriteResult::done) {
    events_.write(job, before.spec.uid, events_between(before.status, status));
    settings_.on_status(before.status, status);
  }
  return reply;
}

void KubeCluster::report_dropped_field(const std::string& job, const std::string& uid, const ApiRequest& sent,
                                       const ApiReply& reply) {
  if (has_reported_dropped_field_ || !is_success(reply)) return;
  const nlohmann::json stored = parse_object(reply.body);
  const std::string field =
      dropped_field(parse_object(sent.body)["status"], stored.value("status", nlohmann::json()), "status");
  if (field.empty() || has_reported_dropped_field_.exchange(true)) return;
  const std::string warning =
      "the API server does not keep " + field +
      ": its definition of TrainingJob is older than the operator; apply the one of this release";
  events_.write(job, uid, {{.warning = true, .reason = reasons::definition_outdated, .note = warning}});
  settings_.on_warning(job + ": " + warning);
}

Reply KubeCluster::apply(const std::string& job, const JobSpec& spec, const Action& action) {
  const JobKey key = job_key_of(job);
  const bool is_key = std::holds_alternative<CreateKey>(action);
  if (is_key && !settings_.pods.operator_namespace.empty()) {
    const Reply reply = create_network_policy(job, spec, action);
    if (reply.result != WriteResult::done && reply.result != WriteResult::already) return reply;
  }
  const ApiRequest request =
      is_key ? create_key_call(key, spec, new_key()) : action_call(key, spec, action, settings_.pods);
  if (std::holds_alternative<CheckProcess>(action)) return check(request, child_of(action));
  const Reply reply = write(request, [&](const ApiReply& answer) { return reply_to_action(answer, action); });
  // If an object of that name exists already, the create counts as done only if this job owns that object. The owner of
  // a Secret is not checked, because the operator may not read Secrets.
  if (reply.result != WriteResult::already || !creates(action) || is_key) return reply;
  return write(find_call(*kind_of(action), key.name_space, child_of(action)),
               [&](const ApiReply& found) { return reply_to_find(found, spec.uid); });
}

// Creates the job's NetworkPolicy. `action` creates the key. The reply becomes the reply to it, so an error about the
// name names the policy.
Reply KubeCluster::create_network_policy(const std::string& job, const JobSpec& spec, const Action& action) {
  const JobKey key = job_key_of(job);
  const Reply reply = write(create_network_policy_call(key, spec, settings_.pods.operator_namespace),
                            [&](const ApiReply& answer) { return reply_to_action(answer, action); });
  if (reply.result != WriteResult::already) return reply;
  Reply owned =
      write(find_network_policy_call(key, spec), [&](const ApiReply& found) { return reply_to_find(found, spec.uid); });
  if (owned.result != WriteResult::already) owned.error = "NetworkPolicy " + service_name(spec) + ": " + owned.error;
  return owned;
}

std::vector<Reply> KubeCluster::apply_all(const std::string& job, const JobSpec& spec,
                                          std::span<const Action> actions) {
  if (actions.size() == 1) return {apply(job, spec, actions.front())};
  std::vector<std::future<Reply>> sent;
  for (const Action& action : actions) {
    sent.push_back(std::async(std::launch::async, [&] { return apply(job, spec, action); }));
  }
  std::vector<Reply> replies;
  for (std::future<Reply>& reply : sent) replies.push_back(reply.get());
  return replies;
}

ApiReply KubeCluster::send(const ApiRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  const auto report = [&](std::optional<int> status) {
    settings_.on_request({verb_of(request), resource_of(request), status, std::chrono::steady_clock::now() - begin});
  };
  try {
    ApiReply reply = clients_.call(request);
    report(reply.status);
    return reply;
  } catch (const Error&) {
    report(std::nullopt);
    throw;
  }
}

// Sends the request and translates the server's reply by `read`. Returns `unanswered` if there is no reply.
Reply KubeCluster::write(const ApiRequest& request, const std::function<Reply(const ApiReply&)>& read) {
  try {
    return read(send(request));
  } catch (const Error& error) {
    return {WriteResult::unanswered, 0, error.what()};
  }
}

Reply KubeCluster::check(const ApiRequest& request, const std::string& child) {
  try {
    return reply_to_check(send(request), child);
  } catch (const Error&) {
    // Without an answer the check counts as passed. The create that follows reports that the server does not answer.
    return {.result = WriteResult::already};
  }
}

std::map<std::string, std::size_t> KubeCluster::jobs_by_state() const {
  std::map<std::string, std::size_t> counts;
  for (const auto& view : namespace_views_) view->count_states(counts);
  return counts;
}

std::vector<WatchSilence> KubeCluster::watch_silences() const {
  std::vector<WatchSilence> silences;
  for (const auto& view : namespace_views_) std::ranges::copy(view->watch_silences(), std::back_inserter(silences));
  return silences;
}

std::vector<std::string> KubeCluster::blind_spots(std::chrono::milliseconds silence_max) const {
  std::vector<std::string> lines;
  for (const auto& view : namespace_views_) {
    const std::string place = view->name_space().empty() ? "" : " in namespace " + view->name_space();
    if (const auto why = view->why_unlisted()) {
      lines.push_back("the objects" + place + " cannot be listed: " + *why);
      continue;
    }
    for (const WatchSilence& watch : view->watch_silences()) {
      if (watch.lasting <= silence_max) continue;
      const auto lasting = std::chrono::duration_cast<seconds>(watch.lasting).count();
      lines.push_back("the watch of " + std::string(plural_of(watch.kind)) + place + " has been silent for " +
                      std::to_string(lasting) + " s");
    }
  }
  return lines;
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
