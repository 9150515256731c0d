// The Kubernetes cluster does what every cluster must, held against a real API server and a real kubelet, which run
// tests/cluster/member.c in the place of the trainer. What happens to a process is done to it from outside its pod, so
// the node has to be this machine.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "operator/codec/job.h"
#include "operator/error.h"
#include "operator/kube/calls.h"
#include "operator/kube/events.h"
#include "operator/kube/kube_cluster.h"
#include "tests/contract/cluster_contract.h"
#include "tests/operator/api_server/environment.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using nlohmann::json;

const SystemClock real_time;

void wait_until(const std::string& what, const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error(what + " did not come about");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// The process on this machine that was told this of itself.
std::optional<pid_t> pid_of(const std::string& uid, const ObservedProcess& process) {
  const auto told = [](std::string_view name, const std::string& value) {
    return std::string(name) + "=" + value + std::string(1, '\0');
  };
  const std::string all[] = {told("CARRACK_JOB_UID", uid),
                             told("CARRACK_ROLE", std::string(train::spelled(process.member.role))),
                             told("CARRACK_INDEX", std::to_string(process.member.index)),
                             told("CARRACK_INCARNATION", std::to_string(process.fence.incarnation))};
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const bool is_it = std::ranges::all_of(all, [&](const std::string& one) { return text.find(one) != text.npos; });
    if (is_it) return static_cast<pid_t>(std::stol(entry.path().filename()));
  }
  return std::nullopt;
}

class RealCluster : public ClusterUnderTest {
 public:
  Cluster& cluster() override { return cluster_; }

  std::string create_job(const JobSpec& spec) override {
    json object = json::parse(to_json(job_node(spec)));
    object["metadata"].erase("uid");
    object["metadata"].erase("generation");
    const ApiReply made = admin_.call({.method = "POST", .path = jobs_, .query = {}, .body = object.dump()});
    if (!is_success(made)) throw std::runtime_error(made.body);
    uid_ = json::parse(made.body)["metadata"]["uid"];
    job_ = name_space_ + "/" + spec.name;
    // Long enough for the watch to bring it.
    wait_until("the job", [this] { return cluster_.observe(job_, Reading::cached).job.has_value(); });
    return job_;
  }

  void delete_job(const std::string&) override {
    admin_.call({.method = "DELETE", .path = jobs_ + "/" + job_key_of(job_).name});
    wait_until("the end of what the job owns",
               [this] { return !has("pods") && !has("services") && !has("configmaps"); });
  }

  // The watches bring it: the cluster is not asked to ask.
  void settle() override {
    wait_until("what was asked for, and the watches to bring it", [this] {
      const Observed shown = cluster_.observe(job_, Reading::cached).observed;
      const bool at_rest = std::ranges::all_of(shown.processes, [](const ObservedProcess& process) {
        return !process.terminating && process.state != ProcessState::pending;
      });
      return at_rest && shown.processes == all() && shown.has_service == has("services") &&
             shown.has_config == has("configmaps");
    });
  }

  void exit(const ObservedProcess& process, int code) override {
    sigqueue(running(process), SIGUSR1, {.sival_int = code});
    wait_until("its end", [this] { return all().front().state == ProcessState::exited; });
  }

  void kill(const ObservedProcess& process) override {
    ::kill(running(process), SIGKILL);
    wait_until("its end", [this] { return all().front().state == ProcessState::exited; });
  }

  void hang(const ObservedProcess& process) override { ::kill(running(process), SIGUSR2); }

  // From now on no pod may be created.
  void use_up_quota() {
    const std::string quotas = "/api/v1/namespaces/" + name_space_ + "/resourcequotas";
    const json quota = {{"metadata", {{"name", "none"}}}, {"spec", {{"hard", {{"pods", "0"}}}}}};
    const ApiReply made = admin_.call({.method = "POST", .path = quotas, .query = {}, .body = quota.dump()});
    if (!is_success(made)) throw std::runtime_error(made.body);
    wait_until("the count of the quota",
               [&] { return json::parse(admin_.call({.path = quotas + "/none"}).body)["status"].contains("used"); });
  }
  void give_quota() {
    admin_.call({.method = "DELETE", .path = "/api/v1/namespaces/" + name_space_ + "/resourcequotas/none"});
  }

  json object(const std::string& path) { return json::parse(admin_.call({.path = path}).body); }
  ApiReply change(const std::string& method, const std::string& path, const json& body) {
    const bool patches = method == "PATCH";
    return admin_.call({.method = method,
                        .path = path,
                        .query = {},
                        .body = body.dump(),
                        .content_type = patches ? "application/merge-patch+json" : "application/json"});
  }
  ApiReply call(const ApiRequest& request) { return admin_.call(request); }
  std::string core_path(const std::string& plural) const { return "/api/v1/namespaces/" + name_space_ + "/" + plural; }
  std::string job_path() const { return jobs_ + "/" + job_key_of(job_).name; }
  std::string uid() const { return uid_; }
  Credentials& credentials() { return credentials_; }
  std::vector<std::string> warnings;

  ~RealCluster() override {
    if (!job_.empty()) admin_.call({.method = "DELETE", .path = jobs_ + "/" + job_key_of(job_).name});
    wait_until("the end of the job's pods", [this] { return all().empty(); });
  }

 private:
  // Something of the job.
  bool has(const std::string& kind) {
    const ApiReply all = admin_.call({.path = "/api/v1/namespaces/" + name_space_ + "/" + kind,
                                      .query = {{"labelSelector", "carrack.dev/job-uid=" + uid_}}});
    return !json::parse(all.body)["items"].empty();
  }

  // By name, as the server lists them.
  std::vector<ObservedProcess> all() {
    const json pods = json::parse(admin_.call({.path = "/api/v1/namespaces/" + name_space_ + "/pods"}).body);
    std::vector<ObservedProcess> shown;
    for (const json& pod : pods.at("items")) {
      if (const auto seen = read_pod(pod)) shown.push_back(seen->value.process);
    }
    return shown;
  }

  pid_t running(const ObservedProcess& process) {
    std::optional<pid_t> pid;
    wait_until("the process", [&] { return (pid = pid_of(uid_, process)).has_value(); });
    return *pid;
  }

  const std::string name_space_ = std::getenv("CARRACK_NAMESPACE");
  const std::string jobs_ = "/apis/carrack.dev/v1alpha1/namespaces/" + name_space_ + "/trainingjobs";
  Credentials credentials_{find_access(environment()), environment(), real_time};
  Client admin_{credentials_};
  KubeCluster cluster_{credentials_,
                       real_time,
                       {{name_space_},
                        {"docker.io/carrack/member:test", {}},
                        1,
                        [](const WatchFailure& failure) { std::fprintf(stderr, "%s\n", failure.error.c_str()); },
                        [](const ApiRequestTiming&) {},
                        [this](const std::string& warning) { warnings.push_back(warning); }}};
  std::string job_ = name_space_ + "/none";
  std::string uid_;
};

const NewCluster real = [] { return std::make_unique<RealCluster>(); };
INSTANTIATE_TEST_SUITE_P(Kubernetes, ClusterContract, testing::Values(real));
INSTANTIATE_TEST_SUITE_P(Kubernetes, DeletionContract, testing::Values(real));

TEST(RealRefusals, AreOfAQuotaThatIsUsedUpOrOfAServerThatDoesNotTakeThePod) {
  RealCluster real_cluster;
  const std::string job = real_cluster.create_job(some_job());
  const JobSpec spec = real_cluster.cluster().observe(job, Reading::quorum).job->spec;
  const CreateProcess create{process_of(spec, worker(0), {0, 1})};
  real_cluster.use_up_quota();
  const Reply over = real_cluster.cluster().apply(job, spec, create);
  real_cluster.give_quota();
  EXPECT_EQ(over.result, WriteResult::refused);
  EXPECT_TRUE(over.over_quota);
  EXPECT_EQ(over.error, "exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0");
  JobSpec too_much = spec;
  too_much.worker_pod.resources = {{{"memory", "-1"}}, {{"memory", "1Gi"}}};
  const Reply invalid = real_cluster.cluster().apply(job, too_much, create);
  EXPECT_EQ(invalid.result, WriteResult::refused);
  EXPECT_FALSE(invalid.over_quota);
  EXPECT_EQ(invalid.error.find("spec.containers[0].resources"), 0U) << invalid.error;
  const Reply checked = real_cluster.cluster().apply(job, too_much, CheckProcess{create.process});
  EXPECT_EQ(checked.result, WriteResult::refused);
  EXPECT_TRUE(checked.is_invalid);
  EXPECT_EQ(checked.error, invalid.error);
  EXPECT_EQ(real_cluster.cluster().apply(job, spec, CheckProcess{create.process}).result, WriteResult::already);
  EXPECT_TRUE(real_cluster.cluster().observe(job, Reading::quorum).observed.processes.empty());
}

TEST(RealStatuses, AreChangedAgainstAVersionAndKeepWhatOthersHaveWritten) {
  RealCluster real_cluster;
  Cluster& cluster = real_cluster.cluster();
  const std::string job = real_cluster.create_job(some_job());
  const Version first = cluster.observe(job, Reading::quorum).job->version;
  JobStatus status;
  set_condition(status, {ConditionType::created, true, "JobCreated", "", {}});
  ASSERT_EQ(cluster.put_status(job, first, status).result, WriteResult::done);
  // An unchanged status is compared, too.
  const ApiReply late = real_cluster.call(status_call(job_key_of(job), {std::to_string(first), status, {}}, status));
  EXPECT_EQ(late.status, 409) << late.body;
  json conditions = real_cluster.object(real_cluster.job_path())["status"]["conditions"];
  conditions.push_back(
      {{"type", "Paused"}, {"status", "False"}, {"reason", "Any"}, {"lastTransitionTime", "2026-01-01T00:00:00Z"}});
  const ApiReply newer =
      real_cluster.change("PATCH", real_cluster.job_path() + "/status", {{"status", {{"conditions", conditions}}}});
  ASSERT_EQ(newer.status, 200) << newer.body;
  set_condition(status, {ConditionType::running, false, "Draining", "", {}});
  const Version second = cluster.observe(job, Reading::quorum).job->version;
  ASSERT_EQ(cluster.put_status(job, second, status).result, WriteResult::done);
  std::vector<std::string> types;
  const json written = real_cluster.object(real_cluster.job_path());
  for (const json& one : written["status"]["conditions"]) types.push_back(one["type"]);
  EXPECT_EQ(types, (std::vector<std::string>{"Created", "Running", "Paused"}));
  EXPECT_EQ(cluster.observe(job, Reading::quorum).job->status, status);
  EXPECT_EQ(real_cluster.warnings, std::vector<std::string>());
}

TEST(RealStatuses, AreReportedIfTheDefinitionLacksAField) {
  const std::string path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trainingjobs.carrack.dev";
  RealCluster real_cluster;
  const std::string job = real_cluster.create_job(some_job());
  const auto define = [&](const json& image, bool is_kept) {
    const json schema = {{"properties", {{"status", {{"properties", {{"trainerImage", image}}}}}}}};
    json definition = real_cluster.object(path);
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].merge_patch(schema);
    ASSERT_EQ(real_cluster.change("PUT", path, definition).status, 200);
    wait_until("the definition", [&] {
      const json image_only = {{"status", {{"trainerImage", std::to_string(std::rand())}}}};
      const ApiReply reply = real_cluster.change("PATCH", real_cluster.job_path() + "/status", image_only);
      const json stored = json::parse(reply.body);
      return is_success(reply) &&
             is_kept == (stored["status"].value("trainerImage", "") == image_only["status"]["trainerImage"]);
    });
  };
  const json before = real_cluster.object(
      path)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]["trainerImage"];
  define(nullptr, false);
  JobStatus status = real_cluster.cluster().observe(job, Reading::quorum).job->status;
  status.trainer_image = "trainer:1";
  const Version version = real_cluster.cluster().observe(job, Reading::quorum).job->version;
  const Reply reply = real_cluster.cluster().put_status(job, version, status);
  define(before, true);
  EXPECT_EQ(reply.result, WriteResult::done) << reply.error;
  EXPECT_EQ(real_cluster.warnings.size(), 1U);
  EXPECT_NE(real_cluster.warnings.at(0).find("status.trainerImage"), std::string::npos);
}

TEST(RealNames, ThatSomebodyElseHasTakenAreRefused) {
  RealCluster real_cluster;
  const std::string job = real_cluster.create_job(some_job());
  const JobSpec spec = real_cluster.cluster().observe(job, Reading::quorum).job->spec;
  json config = config_manifest(spec);
  config["metadata"].erase("ownerReferences");
  ASSERT_EQ(real_cluster.change("POST", real_cluster.core_path("configmaps"), config).status, 201);
  EXPECT_FALSE(real_cluster.cluster().observe(job, Reading::quorum).observed.has_config);
  const Reply taken = real_cluster.cluster().apply(job, spec, CreateConfig{config_name(spec)});
  EXPECT_EQ(taken.result, WriteResult::refused);
  EXPECT_EQ(taken.error, "the name is taken by an object that has no controller; delete that object");
  real_cluster.call({.method = "DELETE", .path = real_cluster.core_path("configmaps") + "/" + config_name(spec)});
  EXPECT_EQ(real_cluster.cluster().apply(job, spec, CreateConfig{config_name(spec)}).result, WriteResult::done);
  EXPECT_EQ(real_cluster.cluster().apply(job, spec, CreateConfig{config_name(spec)}).result, WriteResult::already);
}

TEST(RealEvents, ThatRepeatAreCountedInOneObject) {
  RealCluster real_cluster;
  const std::string job = real_cluster.create_job(some_job());
  EventWriter writer(real_cluster.credentials(), real_time);
  for (int n = 0; n < 3; ++n) writer.write(job, real_cluster.uid(), {{true, "MemberRestarts", "worker 0: left"}});
  const std::string path = "/apis/events.k8s.io/v1/namespaces/" + job_key_of(job).name_space + "/events";
  std::vector<json> ours;
  wait_until("the count", [&] {
    ours.clear();
    const json all = real_cluster.object(path);
    for (const json& event : all["items"]) {
      if (event["regarding"].value("uid", "") == real_cluster.uid()) ours.push_back(event);
    }
    return !ours.empty() && ours[0].contains("series") && ours[0]["series"]["count"] == 3;
  });
  EXPECT_EQ(ours.size(), 1U);
}

}  // namespace
}  // namespace carrack::control
