#include "operator/cli/job_source.h"

#include <chrono>

#include "operator/local/run_view.h"

namespace carrack::control {
namespace {

Time now_of(const Clock& clock) {
  return std::chrono::floor<seconds>(clock.now());
}

JobKey key_of(const JobTarget& target, const Access& access) {
  const std::string of_context = access.name_space.empty() ? "default" : access.name_space;
  return {target.name_space.empty() ? of_context : target.name_space, target.name};
}

}  // namespace

JobView RunOnThisMachine::view() {
  return view_run(folder_, now_of(clock_));
}

ClusterJob::ClusterJob(const JobTarget& target, const EnvironmentMap& environment)
    : credentials_(find_access(environment, target.choice), environment, clock_),
      key_(key_of(target, credentials_.access())),
      reader_(credentials_, key_) {}

JobView ClusterJob::view() {
  return reader_.view(now_of(clock_));
}

JobView ClusterJob::view_with_events() {
  JobView seen = view();
  reader_.add_events(seen);
  return seen;
}

std::unique_ptr<JobSource> open_job(const JobTarget& target, const EnvironmentMap& environment) {
  if (!target.folder.empty()) return std::make_unique<RunOnThisMachine>(target.folder);
  return std::make_unique<ClusterJob>(target, environment);
}

}  // namespace carrack::control
