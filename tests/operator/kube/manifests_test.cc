#include "operator/kube/manifests.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "operator/kube/calls.h"
#include "operator/kube/objects.h"
#include "tests/operator/core/own_job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using nlohmann::json;

const PodSettings settings{"registry/trainer:1", {{"STORAGE_EMULATOR_HOST", "http://store:4443"}, {"COST", "$(USD)5"}}};

json pod(const train::Member& member) {
  const JobSpec spec = some_job();
  return pod_manifest(spec, "team", process_of(spec, member, {2, 3}), settings);
}

std::map<std::string, std::string> environment(const json& pod) {
  std::map<std::string, std::string> found;
  for (const json& one : pod["spec"]["containers"][0]["env"]) found[one["name"]] = one.value("value", "");
  return found;
}

TEST(PodManifest, LaunchesTheTrainerAsTheMemberThatItIs) {
  const json made = pod(coordinator);
  const std::map<std::string, std::string> told = environment(made);
  EXPECT_EQ(made["metadata"]["name"], "line-pvhrt-coordinator-0-2-3");
  EXPECT_EQ(made["spec"]["containers"][0]["image"], "registry/trainer:1");
  EXPECT_EQ(told.at("CARRACK_ROLE"), "coordinator");
  EXPECT_EQ(told.at("CARRACK_INCARNATION"), "3");
  EXPECT_EQ(told.at("CARRACK_CONFIG"), "/etc/carrack/config");
  EXPECT_EQ(told.at("CARRACK_COORDINATOR"), "dns:///line-pvhrt-coordinator.team.svc:7400");
  EXPECT_EQ(told.at("CARRACK_LISTEN"), "$(POD_IP):7400");
  EXPECT_EQ(told.at("CARRACK_PROGRESS"), "$(POD_IP):7401");
  EXPECT_EQ(told.at("CARRACK_FINAL_REPORT"), "/dev/termination-log");
  EXPECT_EQ(told.at("CARRACK_HEALTH"), "$(POD_IP):7402");
  EXPECT_EQ(told.at("STORAGE_EMULATOR_HOST"), "http://store:4443");
  EXPECT_EQ(environment(pod(worker(0))).at("CARRACK_PROGRESS"), "");
  EXPECT_EQ(environment(pod(worker(0))).at("CARRACK_FINAL_REPORT"), "");
}

// What Kubernetes replaces is our own address alone, which has to come before whatever uses it.
TEST(PodManifest, KeepsValuesAsTheyAre) {
  const json made = pod(worker(0));
  EXPECT_EQ(environment(made).at("COST"), "$$(USD)5");
  EXPECT_EQ(made["spec"]["containers"][0]["env"][0]["name"], "POD_IP");
}

TEST(PodManifest, AsksForNoMoreThanItNeeds) {
  const json made = pod(ps(0));
  EXPECT_EQ(made["spec"]["restartPolicy"], "Never");
  EXPECT_EQ(made["spec"]["automountServiceAccountToken"], false);
  EXPECT_EQ(made["spec"]["terminationGracePeriodSeconds"], some_job().run.drain.count());
  for (const char* resource : {"cpu", "memory"}) {
    EXPECT_TRUE(made["spec"]["containers"][0]["resources"]["requests"].contains(resource)) << resource;
  }
}

TEST(PodManifest, LeavesALostNodeSoon) {
  const json tolerations = pod(worker(0))["spec"]["tolerations"];
  ASSERT_EQ(tolerations.size(), 2u);
  for (const json& one : tolerations) {
    EXPECT_EQ(one["operator"], "Exists");
    EXPECT_EQ(one["effect"], "NoExecute");
    EXPECT_EQ(one["tolerationSeconds"], 20);
  }
  EXPECT_EQ(tolerations[0]["key"], "node.kubernetes.io/not-ready");
  EXPECT_EQ(tolerations[1]["key"], "node.kubernetes.io/unreachable");
}

// Begins after the first answer, since trainers of earlier releases give none.
TEST(PodManifest, LetsTheNodeSayThatATrainerDoesNotAnswerAnyMore) {
  const json get = json::parse(R"({"path": "/healthz", "port": 7402})");
  for (const train::Member& member : {coordinator, ps(0), worker(0)}) {
    const json trainer = pod(member)["spec"]["containers"][0];
    EXPECT_EQ(trainer["readinessProbe"],
              (json{{"httpGet", get}, {"periodSeconds", 2}, {"timeoutSeconds", 3}, {"failureThreshold", 3}}));
    EXPECT_FALSE(trainer.contains("livenessProbe"));
    EXPECT_EQ(trainer["startupProbe"]["httpGet"], get);
    EXPECT_EQ(trainer["startupProbe"]["failureThreshold"], 2'147'483'647);
  }
}

TEST(PodManifest, AsksForWhatTheManifestSaysForItsRole) {
  JobSpec spec = some_job();
  spec.worker_pod.resources.requests = {{"cpu", "2"}, {"memory", "4Gi"}};
  const auto asked = [&](const train::Member& member) {
    return pod_manifest(spec, "team", process_of(spec, member, {0, 1}), settings)["spec"]["containers"][0]["resources"];
  };
  EXPECT_EQ(asked(worker(1)),
            json::parse(R"({"requests": {"cpu": "2", "memory": "4Gi"}, "limits": {"memory": "4Gi"}})"));
  EXPECT_EQ(asked(ps(0)),
            json::parse(R"({"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "256Mi"}})"));
}

TEST(PodManifest, OfWhatServesAloneIsFoundByTheService) {
  const json service = service_manifest(some_job());
  const auto is_found = [&](const json& pod) {
    for (const auto& [label, value] : service["spec"]["selector"].items()) {
      if (pod["metadata"]["labels"].value(label, "") != value.get<std::string>()) return false;
    }
    return true;
  };
  EXPECT_TRUE(is_found(pod(coordinator)));
  EXPECT_FALSE(is_found(pod(ps(0))));
  EXPECT_FALSE(is_found(pod(worker(0))));
}

TEST(Manifests, BelongToTheirJob) {
  const JobSpec spec = some_job();
  for (const json& made : {pod(worker(0)), service_manifest(spec), config_manifest(spec)}) {
    const json& owner = made["metadata"]["ownerReferences"][0];
    EXPECT_EQ(owner["uid"], spec.uid);
    EXPECT_EQ(owner["controller"], true);
    EXPECT_EQ(made["metadata"]["labels"]["carrack.dev/job"], "line");
  }
}

TEST(Manifests, HaveTheImageOfTheStart) {
  const JobSpec spec = some_job();
  Process process = process_of(spec, worker(0), {0, 1});
  const auto image = [&] { return pod_manifest(spec, "team", process, settings)["spec"]["containers"][0]["image"]; };
  EXPECT_EQ(image(), settings.image);
  process.image = "trainer:1";
  EXPECT_EQ(image(), "trainer:1");
}

TEST(Manifests, MountTheKeyOfTheJobBesideItsConfiguration) {
  const JobSpec spec = some_job();
  Process process = process_of(spec, worker(0), {0, 1});
  process.key = key_name(spec);
  const json pod = pod_manifest(spec, "team", process, settings)["spec"];
  EXPECT_EQ(pod["volumes"], json::parse(R"([{"name": "job", "projected": {"defaultMode": 292, "sources": [
      {"configMap": {"name": "line-pvhrt-config", "items": [{"key": "config", "path": "config"}]}},
      {"secret": {"name": ")" + process.key +
                                        R"(", "items": [{"key": "key", "path": "key"}]}}]}}])"));
  const json& trainer = pod["containers"][0];
  EXPECT_EQ(trainer["volumeMounts"],
            json::parse(R"([{"name": "job", "mountPath": "/etc/carrack", "readOnly": true}])"));
  EXPECT_EQ(environment({{"spec", pod}}).at("CARRACK_KEYS"), "/etc/carrack");
  EXPECT_FALSE(read_pod(pod_manifest(spec, "team", process, settings))->value.process.without_key);
}

// So have the processes that an earlier release started in this attempt.
TEST(Manifests, MountTheUidForAKeyBesideMembersWithoutOne) {
  const JobSpec spec = some_job();
  EXPECT_EQ(pod(worker(0))["spec"]["volumes"],
            json::parse(R"([{"name": "job", "configMap": {"name": "line-pvhrt-config"}}])"));
  EXPECT_EQ(config_manifest(spec)["data"]["key"], spec.uid);
  EXPECT_TRUE(read_pod(pod(worker(0)))->value.process.without_key);
}

TEST(KeyManifest, IsASecretOfTheJobThatNobodyChanges) {
  const JobSpec spec = some_job();
  json made = key_manifest(spec, "0123");
  EXPECT_EQ(made["kind"], "Secret");
  EXPECT_EQ(made["metadata"]["name"], "line-pvhrt-key-" + spec.uid);
  EXPECT_EQ(made["immutable"], true);
  EXPECT_EQ(made["stringData"], json({{"key", "0123"}}));
}

TEST(ConfigManifest, HoldsWhatEveryProcessReads) {
  const json data = config_manifest(some_job())["data"];
  EXPECT_EQ(data["config"], train::to_config_text(some_job().config));
  JobSpec with_count = some_job();
  with_count.config.workers = {2, 2};
  EXPECT_NE(config_manifest(with_count)["data"]["config"].get<std::string>().find("replicas.worker 2 8\n"),
            std::string::npos)
      << "the number of workers may grow up to the lanes";
}

TEST(Calls, ChangeAStatusAgainstTheVersionThatWasRead) {
  const ApiRequest change = status_call({"team", "line"}, {"7", {}, {}}, {});
  EXPECT_EQ(change.method, "PATCH");
  EXPECT_EQ(change.content_type, "application/merge-patch+json");
  EXPECT_EQ(change.path, "/apis/carrack.dev/v1alpha1/namespaces/team/trainingjobs/line/status");
  EXPECT_EQ(json::parse(change.body)["metadata"]["resourceVersion"], "7");
}

TEST(Calls, AreCountedByVerbAndResource) {
  const auto counted = [](const ApiRequest& request) { return verb_of(request) + " " + resource_of(request); };
  const JobSpec spec = some_job();
  const JobKey job{"pods", "status"};
  EXPECT_EQ(counted(status_call(job, {"7", {}, {}}, {})), "patch trainingjobs/status");
  EXPECT_EQ(counted(list_call(Kind::config, "", "")), "list configmaps");
  EXPECT_EQ(counted(action_call(job, spec, CreateService{""}, settings)), "create services");
  EXPECT_EQ(counted(action_call(job, spec, DeleteProcess{"pod", seconds(1)}, settings)), "delete pods");
  EXPECT_EQ(counted(action_call(job, spec, DeleteService{"line"}, settings)), "delete services");
  const ApiRequest gone = action_call(job, spec, DeleteJob{"line"}, settings);
  EXPECT_EQ(counted(gone), "delete trainingjobs");
  EXPECT_EQ(json::parse(gone.body)["preconditions"]["uid"], spec.uid);
  EXPECT_EQ(counted(action_call(job, spec, DeleteConfig{"line"}, settings)), "delete configmaps");
  EXPECT_EQ(action_call(job, spec, DeleteConfig{"line-config"}, settings).path,
            "/api/v1/namespaces/" + job.name_space + "/configmaps/line-config");
}

TEST(Calls, SelectWhatBelongsToJobs) {
  EXPECT_EQ(list_call(Kind::job, "", "").path, "/apis/carrack.dev/v1alpha1/trainingjobs");
  EXPECT_EQ(list_call(Kind::process, "team", "").path, "/api/v1/namespaces/team/pods");
  const ApiRequest watch = watch_call(Kind::config, "team", 12, std::chrono::seconds(300));
  EXPECT_EQ(to_target(watch),
            "/api/v1/namespaces/team/configmaps?watch=true&allowWatchBookmarks=true&"
            "resourceVersion=12&timeoutSeconds=300&labelSelector=carrack.dev%2Fjob");
}

TEST(Calls, CreateAKeyThatNoReplyContains) {
  const ApiRequest create = create_key_call({"team", "line"}, some_job(), "0123");
  EXPECT_EQ(create.method + " " + create.path, "POST /api/v1/namespaces/team/secrets");
  EXPECT_EQ(create.accept, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  EXPECT_EQ(json::parse(create.body), key_manifest(some_job(), "0123"));
  EXPECT_EQ(verb_of(create) + " " + resource_of(create), "create secrets");
}

TEST(Calls, CreateANetworkPolicyThatLetsTheJobsOwnPodsIn) {
  const JobSpec spec = some_job();
  const ApiRequest create = create_network_policy_call({"team", "line"}, spec, "carrack");
  EXPECT_EQ(create.method + " " + create.path, "POST /apis/networking.k8s.io/v1/namespaces/team/networkpolicies");
  EXPECT_EQ(create.accept, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  EXPECT_EQ(verb_of(create) + " " + resource_of(create), "create networkpolicies");
  json policy = json::parse(create.body);
  EXPECT_EQ(policy["metadata"]["ownerReferences"][0]["uid"], spec.uid) << "it goes with the job";
  const json pods = {{"matchLabels", {{"carrack.dev/job-uid", spec.uid}}}};
  EXPECT_EQ(policy["spec"]["podSelector"], pods);
  EXPECT_EQ(policy["spec"]["policyTypes"], json({"Ingress"}));
  const json& rules = policy["spec"]["ingress"];
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0]["from"], json::array({{{"podSelector", pods}}}));
  EXPECT_EQ(rules[0]["ports"], json::array({{{"port", 7400}}}));
  EXPECT_EQ(rules[1]["from"].dump(),
            R"([{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"carrack"}}}])");
  EXPECT_EQ(rules[1]["ports"], json::array({{{"port", 7401}}}));
}

TEST(Calls, WantOfWhatIsSharedThatItIsThereAlone) {
  const std::string list = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  EXPECT_EQ(list_call(Kind::config, "", "").accept, list);
  EXPECT_EQ(list_of_job_call(Kind::service, {"team", "line"}).accept, list);
  EXPECT_EQ(watch_call(Kind::config, "", 12, std::chrono::seconds(300)).accept,
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  EXPECT_EQ(list_call(Kind::process, "", "").accept, "application/json");
}

TEST(OwnPodManifest, HasTheImageOfItsTemplateAndAStableHostName) {
  JobSpec spec = own_job({.framework = Framework::pytorch, .workers = 2});
  spec.worker_pod.pod_template = own_template("command: [run]\n    env: [{name: SIZE, value: $(RANK)}]");
  const json made = pod_manifest(spec, "team", process_of(spec, worker(1), {2, 3}), settings);
  const json& container = made["spec"]["containers"][0];
  EXPECT_EQ(made["spec"]["containers"].size(), 1U);
  EXPECT_EQ(container["image"], "mine");
  EXPECT_EQ(container["command"], json({"run"}));
  EXPECT_EQ(made["spec"]["hostname"], "worker-1");
  EXPECT_EQ(made["spec"]["subdomain"], "line-pvhrt-members");
  EXPECT_EQ(made["metadata"]["labels"]["carrack.dev/serves"], "true");
  const std::map<std::string, std::string> variables = environment(made);
  EXPECT_EQ(variables.at("MASTER_ADDR"), "worker-0.line-pvhrt-members.team.svc");
  EXPECT_EQ(variables.at("RANK"), "1");
  EXPECT_EQ(variables.at("SIZE"), "$(RANK)");
  for (const char* field : {"securityContext", "volumes"}) EXPECT_FALSE(made["spec"].contains(field)) << field;
  for (const char* field : {"securityContext", "volumeMounts"}) EXPECT_FALSE(container.contains(field)) << field;
  EXPECT_EQ(variables.count("STORAGE_EMULATOR_HOST"), 0U) << "that is for the trainer";
}

TEST(OwnWorkerPodManifest, IsLaunchedAsAMemberInTheImageOfItsTemplate) {
  JobSpec spec = own_model_job();
  spec.worker_pod.pod_template = own_template(
      "command: [python3, /fit.py]\n    env: [{name: LEVEL, value: a}]\n    volumeMounts: [{name: shm, mountPath: "
      "/dev/shm}]");
  spec.worker_pod.resources.limits = {{"nvidia.com/gpu", "1"}};
  Process process = process_of(spec, worker(0), {2, 3});
  process.key = key_name(spec);
  process.image = "trainer:1";
  const json made = pod_manifest(spec, "team", process, settings);
  const json& container = made["spec"]["containers"][0];
  EXPECT_EQ(made["spec"]["containers"].size(), 1U);
  EXPECT_EQ(container["image"], "mine");
  EXPECT_EQ(container["command"], json({"python3", "/fit.py"}));
  EXPECT_EQ(container["resources"]["limits"], (json{{"nvidia.com/gpu", "1"}}));
  EXPECT_TRUE(container["resources"]["requests"].empty());
  EXPECT_EQ(made["spec"]["tolerations"][2]["key"], "nvidia.com/gpu");
  const std::map<std::string, std::string> variables = environment(made);
  EXPECT_EQ(variables.at("CARRACK_ROLE"), "worker");
  EXPECT_EQ(variables.at("CARRACK_COORDINATOR"), "dns:///line-pvhrt-coordinator.team.svc:7400");
  EXPECT_EQ(variables.at("CARRACK_CONFIG"), "/etc/carrack/config");
  EXPECT_EQ(variables.at("CARRACK_KEYS"), "/etc/carrack");
  EXPECT_EQ(variables.at("STORAGE_EMULATOR_HOST"), "http://store:4443") << "it reads the data, too";
  EXPECT_EQ(variables.at("PYTHONUNBUFFERED"), "1");
  EXPECT_EQ(variables.at("LEVEL"), "a");
  EXPECT_EQ(made["spec"]["volumes"][0]["projected"]["defaultMode"], 0444) << "its user may be any";
  EXPECT_EQ(container["volumeMounts"].size(), 2U);
  EXPECT_FALSE(made["spec"].contains("securityContext")) << "the image may need another user";
  EXPECT_FALSE(container.contains("securityContext"));
}

TEST(OwnWorkerPodManifest, LeavesServersInTheTrainersImage) {
  const JobSpec spec = own_model_job();
  const json made = pod_manifest(spec, "team", process_of(spec, ps(0), {0, 1}), settings);
  EXPECT_EQ(made["spec"]["containers"][0]["image"], settings.image);
  EXPECT_EQ(made["spec"]["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(environment(made).count("PYTHONUNBUFFERED"), 0U);
}

TEST(OwnPodManifest, MayBePutOnANodeWithGpusIfItAsksForOne) {
  JobSpec spec = own_job({.workers = 1});
  const auto tolerations = [&] {
    return pod_manifest(spec, "team", process_of(spec, worker(0), {0, 1}), settings)["spec"]["tolerations"];
  };
  EXPECT_EQ(tolerations().size(), 2U);
  spec.worker_pod.resources.limits["nvidia.com/gpu"] = "2";
  EXPECT_EQ(tolerations()[2],
            json::parse(R"({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"})"));
}

TEST(OwnPodManifest, IsNamedByAHeadlessService) {
  const json service = service_manifest(own_job({.workers = 1}))["spec"];
  EXPECT_EQ(service["clusterIP"], "None");
  EXPECT_EQ(service["publishNotReadyAddresses"], true);
  EXPECT_EQ(service["selector"]["carrack.dev/serves"], "true");
}

}  // namespace
}  // namespace carrack::control
