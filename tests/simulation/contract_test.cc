#include "tests/contract/cluster_contract.h"
#include "tests/simulation/operator_process.h"

namespace carrack::simulation {
namespace {

using control::ClusterContract;
using control::JobSpec;

class SimulatedCluster : public control::ClusterUnderTest {
 public:
  control::Cluster& cluster() override { return operator_; }

  std::string create_job(const JobSpec& spec) override {
    api_.jobs.put(job_key, {std::make_shared<const JobSpec>(spec), {}});
    operator_.catch_up();
    return job_key;
  }

  void delete_job(const std::string& job) override { api_.jobs.erase(job); }

  void settle() override {
    api_.collect_garbage();
    for (int n = 0; n < 3; ++n) {
      nodes_.step_pods();
      nodes_.step_processes();
    }
    operator_.catch_up();
  }

 private:
  Checkers checkers_;
  Faults faults_{std::array<std::optional<Faults::Point>, 2>{}};
  PeerRules rules_;
  Afflictions afflictions_;
  Api api_;
  Folder folder_{checkers_, faults_};
  Nodes nodes_{api_, folder_, checkers_, faults_, rules_, afflictions_};
  WorldClock clock_;
  OperatorProcess operator_{api_, nodes_, checkers_, faults_, clock_, {}, [] {}};
};

INSTANTIATE_TEST_SUITE_P(Simulated, ClusterContract,
                         testing::Values(control::NewCluster([] { return std::make_unique<SimulatedCluster>(); })));

}  // namespace
}  // namespace carrack::simulation
