// Whatever an API server or a coordinator sends: a watch's events, a line each, first into the views of all kinds, then
// decided on; and the same bytes as a list and as a report.
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "operator/core/reconcile.h"
#include "operator/error.h"
#include "operator/kube/json_path.h"
#include "operator/kube/view.h"
#include "operator/kube/watcher.h"
#include "operator/runtime/progress_reader.h"
#include "tests/fuzz/must.h"

namespace carrack::control {
namespace {

using fuzz::must;
using nlohmann::json;

template <class Value>
void see(View<Value>& view, const std::string& type, const json& object,
         const std::optional<WatchedObject<Value>>& seen) {
  if (type == "DELETED" || !seen) {
    view.erase(object_key(object), version_of(object));
  } else {
    const auto concerned = view.put(*seen);
    must(concerned.contains(seen->job), "a change concerns its job");
  }
}

struct Views {
  View<JobObject> jobs;
  View<PodObject> processes;
  View<SharedObject> shared;

  void take(const std::string& line) {
    const json event = parse_object(line);
    const std::string type = text_at(event, {"type"});
    const json& object = json_at(event, {"object"});
    const std::string kind = text_at(object, {"kind"});
    if (kind == "TrainingJob") see(jobs, type, object, read_job(object));
    if (kind == "Pod") see(processes, type, object, read_pod(object));
    if (kind == "Service") see(shared, type, object, read_shared_object(object));
  }

  void decide(const std::string& job) const {
    for (const auto& [name, seen] : jobs.objects_of(job)) {
      if (!seen.value.problems.empty()) continue;
      Observed observed;
      for (const auto& [pod, process] : processes.objects_of(job)) observed.processes.push_back(process.value.process);
      observed.has_service = !shared.objects_of(job).empty();
      try {
        reconcile(seen.value.spec, seen.value.status, observed, Time(std::chrono::seconds(1'800'000'000)),
                  [](const train::Config&) { return std::vector<Problem>(); });
      } catch (const std::logic_error&) {
        // The loop parks the job.
      }
    }
  }
};

void as_list(const std::string& text) {
  try {
    const Listing listing = listing_in({200, text, {}}, {});
    must(listing.version > 0, "a list has a version");
  } catch (const Error&) {
    // It is none.
  }
}

void as_report(const std::string& text) {
  const auto report = parse_report(text, {"u", {0, 1}, ""});
  if (!report) return;
  must(report->progress.step >= 0 && report->progress.steps >= 0, "steps are counted from zero");
  must(!report->last_checkpoint || !report->last_checkpoint->name.empty(), "a checkpoint has a name");
}

void take_all(const std::string& text) {
  Views views;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) views.take(line);
  for (const std::string& job : views.jobs.jobs()) views.decide(job);
  as_list(text);
  as_report(text);
}

}  // namespace
}  // namespace carrack::control

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  carrack::control::take_all(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
