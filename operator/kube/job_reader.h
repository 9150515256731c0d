// Reads one job as its user sees it: the TrainingJob, its pods and their events, with the rights of that user. What the
// user may not read is a gap of the view, except for the TrainingJob itself.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/api_server/client.h"
#include "operator/explain/job_view.h"
#include "operator/kube/calls.h"

namespace carrack::control {

// The event that an object of events.k8s.io/v1 is. Any JSON gives an event, if an empty one.
SeenEvent read_event(const nlohmann::json& object);

class JobReader {
 public:
  // `credentials` must outlive this.
  JobReader(Credentials& credentials, JobKey job) : client_(credentials), job_(std::move(job)) {}

  // The TrainingJob and its pods. Throws Error (user) if there is no such job or this user may not read it, and Error
  // (platform) if the API server does not answer.
  JobView view(Time now);
  // Adds the events about the job, and the warnings about its pods.
  void add_events(JobView& view);

 private:
  void add_job(JobView& view);
  void add_pods(JobView& view);
  std::vector<nlohmann::json> events(const std::string& field_selector, JobView& view);

  Client client_;
  const JobKey job_;
};

}  // namespace carrack::control
