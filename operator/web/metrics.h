// Metrics counts what carrack-operator does, and returns its /metrics page for Prometheus. docs/reference/metrics.md
// lists the metrics. Thread-safe. Arguments that become labels (verb, resource, result, reason) must be words of a
// short list, never messages, because each new value creates a series that remains until the process ends.
#pragma once

#include <chrono>
#include <optional>

#include "dataloader/mutex.h"
#include "operator/runtime/clock.h"
#include "operator/web/exposition.h"

namespace carrack::control {

class Metrics {
 public:
  using Seconds = std::chrono::duration<double>;

  // `started` is the time at which the process started.
  Metrics(const std::string& version, Moment started);

  // Counts a pass of a Loop over a job. `result` is the name of a Pass::Result.
  void count_reconcile(const std::string& result, Seconds duration);
  // `code` is the status of the HTTP reply; nullopt if no reply came.
  void count_api_request(const std::string& verb, const std::string& resource, std::optional<int> code,
                         Seconds duration);
  // Counts a failure of a watch. `reason` is WatchFailure::reason, `resource` such as pods.
  void count_watch_restart(const std::string& resource, const std::string& reason);
  // Sets the number of jobs that wait for a pass.
  void set_queue_depth(std::size_t depth);
  // Sets the number of jobs in each state. A state that is not in `by_state` has no series afterwards.
  void set_jobs(const std::map<std::string, std::size_t>& by_state);

  // What one change of a job's status adds to the counters of all jobs together. No number may be negative, because
  // counters only grow.
  struct Losses {
    std::int64_t restarts = 0;     // restarts after failures, of members and of whole jobs
    std::int64_t disruptions = 0;  // ends of running processes that were not charged
    std::int64_t steps = 0;        // steps that had to be computed again
  };
  void count_losses(const Losses& losses);

  // The time since a watch last got anything from the API server. set_watch_ages() replaces all samples.
  struct WatchAge {
    std::string resource;
    std::string name_space;  // empty for a watch of all namespaces
    Seconds age;
  };
  void set_watch_ages(const std::vector<WatchAge>& ages);

  // Returns the page for Prometheus, as exposition() formats it. It includes the resident memory of this process, read
  // at the time of the call.
  std::string text() const;

 private:
  mutable Mutex mutex_;
  Family build_info_{"carrack_build_info", "gauge", "1; the label says which version this is.", {}};
  Family jobs_ GUARDED_BY(mutex_){"carrack_jobs", "gauge", "TrainingJobs by state.", {}};
  Family queue_depth_ GUARDED_BY(mutex_){"carrack_queue_depth", "gauge", "Jobs that wait for a pass.", {}};
  Family reconciles_ GUARDED_BY(mutex_){"carrack_reconciles_total", "counter", "Passes over a job, by result.", {}};
  Family reconcile_seconds_ GUARDED_BY(mutex_){
      "carrack_reconcile_seconds", "histogram", "How long a pass over a job takes.", {}};
  Family requests_ GUARDED_BY(mutex_){
      "carrack_api_requests_total", "counter", "Requests to the API server; code none: no reply came.", {}};
  Family request_seconds_ GUARDED_BY(mutex_){
      "carrack_api_request_seconds", "histogram", "How long the API server takes to answer.", {}};
  Family restarts_ GUARDED_BY(mutex_){
      "carrack_watch_restarts_total", "counter", "Watches that failed, or had to begin again from a list.", {}};
  Family watch_ages_ GUARDED_BY(mutex_){
      "carrack_watch_age_seconds", "gauge", "Time since the last list, event or bookmark of a watch.", {}};
  Family job_restarts_ GUARDED_BY(mutex_){
      "carrack_job_restarts_total", "counter", "Restarts after failures, of members and of whole jobs.", {}};
  Family job_disruptions_ GUARDED_BY(mutex_){
      "carrack_job_disruptions_total", "counter", "Ends of running processes that were not charged.", {}};
  Family job_lost_steps_ GUARDED_BY(mutex_){
      "carrack_job_lost_steps_total", "counter", "Steps that jobs had to compute again.", {}};
  Family start_{"process_start_time_seconds", "gauge", "When this process started, in seconds since 1970.", {}};
};

// Returns the resident memory in bytes from the line VmRSS of the text of /proc/self/status: "VmRSS: 2 kB" -> 2048.
// nullopt if the text has no such line.
std::optional<double> resident_bytes_in(const std::string& process_status);

}  // namespace carrack::control
