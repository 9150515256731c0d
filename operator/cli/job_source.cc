#include "operator/cli/job_source.h"

#include <chrono>

#include "operator/api_server/credentials.h"
#include "operator/kube/job_reader.h"
#include "operator/local/run_view.h"
#include "operator/runtime/clock.h"

namespace carrack::control {
namespace {

Time now_of(const Clock& clock) {
  return std::chrono::floor<seconds>(clock.now());
}

class RunSource : public JobSource {
 public:
  explicit RunSource(std::string folder) : folder_(std::move(folder)) {}
  JobView view() override { return view_run(folder_, now_of(clock_)); }
  JobView view_with_events() override { return view(); }

 private:
  const std::string folder_;
  const SystemClock clock_;
};

class ClusterSource : public JobSource {
 public:
  ClusterSource(const JobTarget& target, const EnvironmentMap& environment)
      : credentials_(find_access(environment, target.choice), environment, clock_),
        reader_(credentials_, {name_space_of(target), target.name}) {}
  JobView view() override { return reader_.view(now_of(clock_)); }
  JobView view_with_events() override {
    JobView seen = view();
    reader_.add_events(seen);
    return seen;
  }

 private:
  std::string name_space_of(const JobTarget& target) const {
    if (!target.name_space.empty()) return target.name_space;
    const std::string& of_context = credentials_.access().name_space;
    return of_context.empty() ? "default" : of_context;
  }

  const SystemClock clock_;
  Credentials credentials_;
  JobReader reader_;
};

}  // namespace

std::unique_ptr<JobSource> open_job(const JobTarget& target, const EnvironmentMap& environment) {
  if (!target.folder.empty()) return std::make_unique<RunSource>(target.folder);
  return std::make_unique<ClusterSource>(target, environment);
}

}  // namespace carrack::control
