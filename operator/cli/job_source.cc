#include "operator/cli/job_source.h"

#include <chrono>
#include <filesystem>
#include <system_error>

#include "operator/error.h"
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

// Calls find_access(). If it throws, and the user typed no option for a cluster, the user may have meant the folder of
// a run. So the Error then says that there is neither such a folder nor a cluster.
Access access_for(const JobTarget& target, const EnvironmentMap& environment) {
  try {
    return find_access(environment, target.choice);
  } catch (const Error& error) {
    const bool asks_for_cluster =
        !target.name_space.empty() || !target.choice.kubeconfig.empty() || !target.choice.context.empty();
    if (asks_for_cluster) throw;
    const std::string usual = "carrack-runs/" + target.name;
    std::error_code ignored;
    const bool is_there = std::filesystem::is_regular_file(usual + "/job.json", ignored);
    throw Error(error.blame(), "no run folder " + target.name + (is_there ? " (did you mean " + usual + "?)" : "") +
                                   ", and no cluster: " + error.what());
  }
}

}  // namespace

JobView RunOnThisMachine::view() {
  return view_run(folder_, now_of(clock_));
}

ClusterJob::ClusterJob(const JobTarget& target, const EnvironmentMap& environment)
    : credentials_(access_for(target, environment), environment, clock_),
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
