#include "operator/cli/plan_job.h"

#include "trainer/planning/job_plan_text.h"

namespace carrack::control {

PlannedJob plan_job(const train::Config& config, unsigned cpus) {
  const train::JobPlan plan = train::job_plan(config, cpus);
  const auto bytes_of = [](const std::optional<train::MemoryOfProcess>& memory) {
    return memory ? train::bytes_needed(memory->entries) : 0;
  };
  return {train::text(plan, config), bytes_of(plan.memory.server), bytes_of(plan.memory.worker)};
}

}  // namespace carrack::control
