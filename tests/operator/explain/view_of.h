// What is seen of a job after the decisions of a Scene.
#pragma once

#include "operator/explain/job_view.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {

inline JobView view_of(const Scene& scene, seconds later = seconds(90)) {
  return {.spec = scene.spec,
          .status = scene.status,
          .where = "team",
          .has_processes = true,
          .processes = scene.observed.processes,
          .now = scene.now + later};
}

// Of `carrack run`, which shows no processes.
inline JobView run_of(const Scene& scene, bool is_at_work = true) {
  return {.spec = scene.spec,
          .status = scene.status,
          .place = Place::this_machine,
          .where = "runs/line",
          .is_at_work = is_at_work,
          .now = scene.now + seconds(90)};
}

}  // namespace carrack::control
