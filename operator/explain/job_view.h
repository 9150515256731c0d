// All that is known of one job at one moment, from a cluster or from the folder of a run on this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/core/observed.h"

namespace carrack::control {

enum class Place { kubernetes, this_machine };

// A Kubernetes event, about the job or one of its pods.
struct SeenEvent {
  std::string pod;  // empty: about the job itself
  bool warning = false;
  std::string reason;
  std::string note;  // printable
  int count = 1;     // how often it has happened
  Time last{};
  bool operator==(const SeenEvent&) const = default;
};

struct JobView {
  JobSpec spec;
  JobStatus status;
  Place place = Place::kubernetes;
  std::string where;                            // the namespace, or the run's folder
  bool is_being_deleted = false;                // only on Kubernetes
  bool is_at_work = true;                       // only on this machine: a `carrack run` runs the job
  bool has_processes = false;                   // `processes` could be read; if false, it is empty
  std::vector<ObservedProcess> processes = {};  // of all attempts; on Kubernetes its pods
  std::vector<SeenEvent> events = {};           // those about the job, and warnings about its pods
  std::vector<std::string> gaps = {};           // sentences: what could not be read, and why
  std::optional<double> steps_per_second = {};  // measured lately; nullopt if nobody has measured it
  Time now{};
};

}  // namespace carrack::control
