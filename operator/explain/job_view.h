// JobView is all that the commands for users (`carrack explain`, `top`, `logs`) know of one job at one moment.
// JobReader (operator/kube/job_reader.h) reads it from a cluster, view_run() (operator/local/run_view.h) from the
// folder of a `carrack run` on this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/core/observed.h"

namespace carrack::control {

enum class Place { kubernetes, this_machine };

// A Kubernetes event, about the job or one of its pods.
struct SeenEvent {
  std::string pod;  // the pod that it is about; empty: the job itself
  bool warning = false;
  std::string reason;
  std::string note;  // a message for the user; printable
  int count = 1;     // how often it has happened
  Time last{};       // when it happened last
  bool operator==(const SeenEvent&) const = default;
};

struct JobView {
  JobSpec spec;
  JobStatus status;
  Place place = Place::kubernetes;
  std::string where;                            // the namespace, or the path of the run's folder
  bool is_being_deleted = false;                // always false on this machine
  bool is_at_work = true;                       // false: no `carrack run` runs the job now; true on Kubernetes
  bool has_processes = false;                   // `processes` could be read; if false, it is empty
  std::vector<ObservedProcess> processes = {};  // the job's processes of all attempts; on Kubernetes its pods
  std::vector<SeenEvent> events = {};           // about the job, and warnings about its pods; if they were read
  std::vector<std::string> gaps = {};           // sentences for the user: what could not be read, and why
  std::optional<double> steps_per_second = {};  // the pace, measured lately (Pace); nullopt: it was not measured
  Time now{};                                   // when the view was read
};

}  // namespace carrack::control
