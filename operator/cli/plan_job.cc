#include "operator/cli/plan_job.h"

#include <algorithm>

#include "trainer/planning/job_plan_text.h"

namespace carrack::control {

PlannedJob plan_job(const train::Config& config, unsigned cpus) {
  const train::JobPlan plan = train::job_plan(config, cpus);
  const train::JobMemory& memory = plan.memory;
  PlannedJob planned{.text = train::text(plan, config)};
  if (memory.single) planned.worker_bytes = train::bytes_needed(memory.single->entries);
  if (memory.server) planned.server_bytes = train::bytes_needed(memory.server->entries);
  // A worker needs enough memory to compute a whole batch alone, as it must while no other worker runs.
  if (memory.worker && !train::is_own(config.model))
    planned.worker_bytes = std::max(memory.only_worker, train::bytes_needed(memory.worker->entries));
  return planned;
}

}  // namespace carrack::control
