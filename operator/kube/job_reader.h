// Reads one job from a cluster for the commands of a user, such as `carrack explain`: the TrainingJob, its pods and
// their events, with the rights of the user's credentials. If the server replies to a list of pods or events with any
// failure, JobView::gaps says why. Not thread-safe.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/api_server/client.h"
#include "operator/error.h"
#include "operator/explain/job_view.h"
#include "operator/kube/calls.h"

namespace carrack::control {

// Decodes an Event object of events.k8s.io/v1. Accepts any JSON; missing fields become empty. Texts are made printable.
SeenEvent read_event(const nlohmann::json& object);

// Thrown if there is no TrainingJob of this name.
class NoSuchJob : public Error {
 public:
  explicit NoSuchJob(const std::string& text) : Error(Blame::user, text) {}
};

class JobReader {
 public:
  // `credentials` must outlive this.
  JobReader(Credentials& credentials, JobKey job) : client_(credentials), job_(std::move(job)) {}

  // Reads the TrainingJob and its pods, without events. Each call reads them again. `now` becomes JobView::now. If the
  // pods cannot be listed, the last of JobView::gaps says why. Throws NoSuchJob if the job does not exist. Throws Error
  // with Blame::user if this user may not read it, and with Blame::platform if the API server fails to return it, or
  // does not answer.
  JobView view(Time now);
  // Adds the events about the job, and the warnings about its pods, to a result of view(). Reads up to 5,000 events of
  // the job, and up to 5,000 warnings about pods of the namespace; if there are more, JobView::gaps says so. Throws
  // Error if the API server does not answer.
  void add_events(JobView& view);

 private:
  void add_job(JobView& view);
  void add_pods(JobView& view);
  std::vector<nlohmann::json> events(const std::string& field_selector, JobView& view);

  Client client_;
  const JobKey job_;
};

}  // namespace carrack::control
