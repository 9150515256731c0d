#include "operator/kube/job_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "operator/codec/fields.h"
#include "operator/core/plan.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "operator/kube/json_path.h"
#include "operator/kube/objects.h"

namespace carrack::control {
namespace {

using nlohmann::json;

constexpr int events_per_page = 500;
constexpr int event_pages_max = 10;
static_assert(events_per_page * event_pages_max == 5000);  // Messages and documentation have this number.

// Returns the time in whole seconds; Time{} if the text is not a time in UTC.
Time time_in(const std::string& text) {
  Time time{};
  std::vector<Problem> problems;
  std::string whole = text.substr(0, text.find('.'));
  if (!whole.ends_with('Z')) whole += 'Z';
  read(Node{whole, 0}, FieldPath{"", &problems}, time);
  return problems.empty() ? time : Time{};
}

// The first of these fields whose text is not empty.
std::string first_text(const json& object, std::initializer_list<Path> paths) {
  for (const Path path : paths) {
    if (std::string text = text_at(object, path); !text.empty()) return text;
  }
  return "";
}

ApiRequest get_call(const JobKey& job) {
  return {.path = "/apis/carrack.dev/v1alpha1/namespaces/" + job.name_space + "/trainingjobs/" + job.name};
}

ApiRequest events_call(const JobKey& job, const std::string& field_selector, const std::string& continued) {
  ApiRequest request{.path = "/apis/events.k8s.io/v1/namespaces/" + job.name_space + "/events",
                     .query = {{"fieldSelector", field_selector}, {"limit", std::to_string(events_per_page)}}};
  if (!continued.empty()) request.query.emplace_back("continue", continued);
  return request;
}

[[noreturn]] void fail_to_read(const JobKey& job, const ApiReply& reply) {
  const std::string name = "TrainingJob " + job.name + " in namespace " + job.name_space;
  const ApiStatus status = status_of(reply);
  if (reply.status == 404 && status.message.find("could not find the requested resource") != status.message.npos) {
    throw Error(Blame::user, "this cluster has no TrainingJobs; install the chart, or choose another --context");
  }
  if (reply.status == 404) {
    throw NoSuchJob(name + ": there is none; `kubectl get trainingjobs -A` lists all");
  }
  if (reply.status == 401 || reply.status == 403) {
    throw Error(Blame::user, name + ": you may not read it: " + status.message +
                                 "; have a role bound to you that may, such as `view`");
  }
  throw Error(Blame::platform, name + ": cannot be read: " + status.message);
}

std::string gap(const std::string& what, const ApiReply& reply) {
  return what + ": " + status_of(reply).message;
}

const json& items_of(const json& list) {
  static const json none = json::array();
  const json& items = json_at(list, {"items"});
  return items.is_array() ? items : none;
}
const json& items_of(json&& list) = delete;  // The result would refer into a list that is destroyed.

}  // namespace

SeenEvent read_event(const json& object) {
  SeenEvent event;
  if (text_at(object, {"regarding", "kind"}) == "Pod") event.pod = printable(text_at(object, {"regarding", "name"}));
  event.warning = text_at(object, {"type"}) == "Warning";
  event.reason = printable(text_at(object, {"reason"}));
  event.note = printable(text_at(object, {"note"}));
  const auto count = std::max(integer_at(object, {"series", "count"}), integer_at(object, {"deprecatedCount"}));
  event.count = static_cast<int>(std::clamp<std::int64_t>(count, 1, 1'000'000'000));
  event.last = time_in(first_text(
      object,
      {{"series", "lastObservedTime"}, {"deprecatedLastTimestamp"}, {"eventTime"}, {"metadata", "creationTimestamp"}}));
  return event;
}

JobView JobReader::view(Time now) {
  JobView view{.spec = {}, .status = {}, .place = Place::kubernetes, .where = job_.name_space, .now = now};
  add_job(view);
  add_pods(view);
  return view;
}

void JobReader::add_job(JobView& view) {
  const ApiReply reply = client_.call(get_call(job_));
  if (!is_success(reply)) fail_to_read(job_, reply);
  auto job = read_job(parse_object(reply.body));
  if (!job) throw Error(Blame::platform, "TrainingJob " + job_.name + ": the API server's reply is not understood");
  view.spec = std::move(job->value.spec);
  view.status = std::move(job->value.status);
  view.is_being_deleted = job->value.is_being_deleted;
  if (!job->value.problems.empty()) {
    view.gaps.push_back("parts of the TrainingJob, which is of another release than this program: " +
                        describe(job->value.problems));
  }
}

void JobReader::add_pods(JobView& view) {
  const ApiReply reply = client_.call(list_of_job_call(Kind::process, job_));
  if (!is_success(reply)) return view.gaps.push_back(gap("its pods", reply));
  view.has_processes = true;
  const json list = parse_object(reply.body);
  for (const json& object : items_of(list)) {
    auto pod = read_pod(object);
    if (pod && pod->value.job_uid == view.spec.uid) view.processes.push_back(std::move(pod->value.process));
  }
}

void JobReader::add_events(JobView& view) {
  for (const json& object : events("regarding.kind=TrainingJob,regarding.name=" + job_.name, view)) {
    if (text_at(object, {"regarding", "uid"}) == view.spec.uid) view.events.push_back(read_event(object));
  }
  // The first list of events has failed. A second request would probably only add the same gap again.
  if (!view.gaps.empty() && view.gaps.back().starts_with("events")) return;
  const std::string prefix = name_prefix(view.spec);
  for (const json& object : events("regarding.kind=Pod,type=Warning", view)) {
    SeenEvent event = read_event(object);
    if (event.pod.starts_with(prefix)) view.events.push_back(std::move(event));
  }
}

// Returns the objects of all pages, up to event_pages_max. A failed page becomes a gap of the view, and so do further
// pages, because the list is ordered by name: the newest events may be among those that are not read.
std::vector<json> JobReader::events(const std::string& field_selector, JobView& view) {
  std::vector<json> all;
  std::string continued;
  for (int page = 0; page < event_pages_max; ++page) {
    const ApiReply reply = client_.call(events_call(job_, field_selector, continued));
    if (!is_success(reply)) {
      view.gaps.push_back(gap("events", reply));
      return all;
    }
    const json list = parse_object(reply.body);
    for (const json& object : items_of(list)) all.push_back(object);
    continued = text_at(list, {"metadata", "continue"});
    if (continued.empty()) return all;
  }
  view.gaps.push_back("some events: namespace " + job_.name_space + " has more than 5,000 with " + field_selector +
                      ", and only the first 5,000 were read");
  return all;
}

}  // namespace carrack::control
