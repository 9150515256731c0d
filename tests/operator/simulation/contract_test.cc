#include <algorithm>

#include "tests/contract/cluster_contract.h"
#include "tests/operator/simulation/operator_process.h"

namespace carrack::simulation {
namespace {

using control::ClusterContract;
using control::DeletionContract;
using control::JobSpec;
using control::ObservedProcess;

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
    do {
      nodes_.step_pods();
      nodes_.step_processes();
    } while (somebody_leaves());
    operator_.catch_up();
  }

  void exit(const ObservedProcess& process, int code) override { nodes_.process_of(process.name).end(code); }
  void kill(const ObservedProcess& process) override { exit(process, 128 + 9); }
  void hang(const ObservedProcess& process) override { nodes_.process_of(process.name).hangs = true; }

 private:
  bool somebody_leaves() const {
    return std::ranges::any_of(api_.pods.objects(),
                               [](const auto& pod) { return pod.second.object.shown.terminating; });
  }

  Checkers checkers_;
  Faults faults_{std::array<std::optional<Faults::Point>, 2>{}};
  PeerRules rules_;
  Afflictions afflictions_;
  Api api_;
  Folder folder_{checkers_, faults_};
  Nodes nodes_{api_, folder_, checkers_, faults_, rules_, afflictions_, /*has_probes=*/false};
  WorldClock clock_;
  OperatorProcess operator_{api_, nodes_, checkers_, faults_, clock_, {}, [] {}, "release"};
};

const control::NewCluster simulated = [] { return std::make_unique<SimulatedCluster>(); };
INSTANTIATE_TEST_SUITE_P(Simulated, ClusterContract, testing::Values(simulated));
INSTANTIATE_TEST_SUITE_P(Simulated, DeletionContract, testing::Values(simulated));

}  // namespace
}  // namespace carrack::simulation
