// What the operator counts of its own work, told from any thread, and its text for Prometheus.
// docs/reference/metrics.md lists the names. Results, states and reasons are from short lists, never messages: each new
// one is a series for ever.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "operator/runtime/clock.h"
#include "operator/web/exposition.h"

namespace carrack::control {

struct RequestMade {
  std::string verb;         // list, create, update, patch or delete
  std::string resource;     // pods, trainingjobs/status
  std::optional<int> code;  // of the HTTP reply; nothing if none came
};

class Metrics {
 public:
  using Seconds = std::chrono::duration<double>;

  Metrics(const std::string& version, Moment started);

  void count_reconcile(const std::string& result, Seconds took);
  void count_api_request(const RequestMade& request, Seconds took);
  void count_watch_restart(const std::string& resource, const std::string& reason);
  void set_queue_depth(std::size_t depth);
  // Of every state there is; one that is not named has no series any more.
  void set_jobs(const std::map<std::string, std::size_t>& by_state);

  std::string text() const;

 private:
  mutable std::mutex mutex_;
  Family build_info_{"carrack_build_info", MetricType::gauge, "1; the label says which version this is.", {}};
  Family jobs_{"carrack_jobs", MetricType::gauge, "TrainingJobs by state.", {}};
  Family queue_depth_{"carrack_queue_depth", MetricType::gauge, "Jobs that wait to be looked at.", {}};
  Family reconciles_{"carrack_reconciles_total", MetricType::counter, "Looks at a job, by result.", {}};
  Family reconcile_seconds_{"carrack_reconcile_seconds", MetricType::histogram, "How long a look at a job takes.", {}};
  Family requests_{
      "carrack_api_requests_total", MetricType::counter, "Requests to the API server; code none: no reply came.", {}};
  Family request_seconds_{
      "carrack_api_request_seconds", MetricType::histogram, "How long the API server takes to answer.", {}};
  Family restarts_{"carrack_watch_restarts_total",
                   MetricType::counter,
                   "Watches that failed, or had to begin again from a list.",
                   {}};
  Family start_{"process_start_time_seconds", MetricType::gauge, "When this process began, in seconds since 1970.", {}};
};

// From the text of /proc/self/status.
std::optional<double> resident_bytes_in(const std::string& process_status);

}  // namespace carrack::control
