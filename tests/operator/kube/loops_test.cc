// Several loops on one cluster of Kubernetes.
#include "operator/runtime/loops.h"

#include <algorithm>
#include <string>
#include <thread>

#include "tests/operator/kube/served_cluster.h"

namespace carrack::control {
namespace {

using testing::Contains;

class LoopsOfACluster : public KubeClusterTest {
 protected:
  // Of the requests, how many create a pod of each job, by its name.
  std::map<std::string, int> created_pods() const {
    std::map<std::string, int> pods;
    for (const std::string& request : server_.requests("POST")) {
      if (!request.starts_with("POST /api/v1/namespaces/team/pods HTTP")) continue;
      const json pod = json::parse(request.substr(request.find("\r\n\r\n") + 4));
      ++pods[pod["metadata"]["labels"]["carrack.dev/job"].get<std::string>()];
    }
    return pods;
  }
};

TEST_F(LoopsOfACluster, HandleJobsAtTheSameTime) {
  constexpr std::size_t count = 24;
  std::vector<json> jobs;
  for (std::size_t n = 0; n < count; ++n) {
    JobSpec spec = some_job();
    spec.name = "job" + std::to_string(n);
    spec.uid = "uid" + std::to_string(n);
    jobs.push_back(job_object(spec));
  }
  JobSpec unreadable = some_job();
  unreadable.name = "unreadable";
  jobs.push_back(job_object(unreadable));
  jobs.back()["status"] = {{"attempt", "none"}};
  server_.objects["trainingjobs"] = jobs;
  server_.be_at("20");
  server_.changes_take = std::chrono::milliseconds(5);
  Loops loops(16, cluster(), any_clock, decide, [](const Pass&) {});
  cluster().watch([&](const std::string& job) { loops.wake(job); });
  {
    std::jthread thread([&](const std::stop_token& stop) { loops.run(stop); });
    for (int tries = 0; tries < 3'000 && created_pods().size() < count; ++tries) {
      for (std::size_t n = 0; n < count; ++n) loops.wake("team/job" + std::to_string(n));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  cluster().watch([](const std::string&) {});
  const std::map<std::string, int> pods = created_pods();
  EXPECT_EQ(pods.size(), count);
  EXPECT_FALSE(pods.contains("unreadable"));
  const std::vector<std::string> statuses = server_.requests("PATCH");
  for (const auto& [job, created] : pods) {
    const std::string target = "PATCH /apis/carrack.dev/v1alpha1/namespaces/team/trainingjobs/" + job + "/status";
    EXPECT_THAT(statuses, Contains(testing::StartsWith(target)));
  }
}

}  // namespace
}  // namespace carrack::control
