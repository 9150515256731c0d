// The metrics of the operator, as docs/reference/metrics.md lists them. Safe for several threads. Verbs, resources,
// results and reasons must be words of short lists, never messages, because each new value makes a series that remains
// until the process ends.
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

  void count_reconcile(const std::string& result, Seconds duration);
  // `code` is the status of the HTTP reply; nullopt if no reply came.
  void count_api_request(const std::string& verb, const std::string& resource, std::optional<int> code,
                         Seconds duration);
  void count_watch_restart(const std::string& resource, const std::string& reason);
  void set_queue_depth(std::size_t depth);
  // Replaces all samples: a state that is not in `by_state` has no series afterwards.
  void set_jobs(const std::map<std::string, std::size_t>& by_state);

  // What one change of a job's status adds to the counters. No number may be negative, because counters only grow.
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

  // Returns the page for Prometheus. It includes the memory that this process uses at the time of the call.
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

// Returns the value of VmRSS in the text of /proc/self/status, in bytes; nullopt if the text does not have it in kB.
std::optional<double> resident_bytes_in(const std::string& process_status);

}  // namespace carrack::control
