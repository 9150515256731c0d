#include "operator/kube/merge_template.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "operator/codec/node.h"
#include "operator/kube/manifests.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using nlohmann::json;

json yaml(const std::string& text) {
  return json::parse(to_json(std::get<Node>(parse_yaml(text))));
}

json merged(const std::string& pod, const std::string& pod_template) {
  json made = yaml(pod);
  merge_template(yaml(pod_template), made);
  return made;
}

TEST(MergeTemplate, MergesObjectsAndReplacesValues) {
  EXPECT_EQ(merged("{a: {b: 1, c: [1, 2]}, d: x}", "{a: {c: [3], e: {f: 2}}, d: true}"),
            yaml("{a: {b: 1, c: [3], e: {f: 2}}, d: true}"));
  EXPECT_EQ(merged("{a: {b: 1, c: 2}}", "{a: {b: null, d: null}}"), yaml("{a: {c: 2}}"));
  EXPECT_EQ(merged("{a: {b: 1}}", "{a: [b]}"), yaml("{a: [b]}"));
  EXPECT_EQ(merged("{a: 1}", "{}"), yaml("{a: 1}"));
}

TEST(MergeTemplate, FindsTheEntriesOfListsByTheirKeys) {
  EXPECT_EQ(merged("containers: [{name: a, x: 1}, {name: b}]", "containers: [{name: c}, {name: a, z: 2}]"),
            yaml("containers: [{name: a, x: 1, z: 2}, {name: b}, {name: c}]"));
  EXPECT_EQ(
      merged("env: [{name: A, value: '1'}, {name: B, value: '2'}]",
             "env: [{name: A, valueFrom: {fieldRef: {fieldPath: p}}}, {name: C, value: '3'}]"),
      yaml("env: [{name: A, valueFrom: {fieldRef: {fieldPath: p}}}, {name: B, value: '2'}, {name: C, value: '3'}]"))
      << "an entry with both would not be valid";
  EXPECT_EQ(merged("tolerations: [{key: a, effect: NoExecute, tolerationSeconds: 30}]",
                   "tolerations: [{key: a, effect: NoExecute}, {key: a, effect: NoSchedule}, {operator: Exists}]"),
            yaml("tolerations: [{key: a, effect: NoExecute}, {key: a, effect: NoSchedule}, {operator: Exists}]"));
  EXPECT_EQ(merged("volumeMounts: [{name: a, mountPath: /a}]", "volumeMounts: [{name: a, mountPath: /b}]"),
            yaml("volumeMounts: [{name: a, mountPath: /a}, {name: a, mountPath: /b}]"));
}

TEST(MergeTemplate, AddsAllEntriesOfTheTemplateThatHaveTheSameKey) {
  const std::string two = "[{key: gpu, effect: NoSchedule, value: a}, {key: gpu, effect: NoSchedule, value: b}]";
  EXPECT_EQ(merged("tolerations: []", "tolerations: " + two), yaml("tolerations: " + two));
  EXPECT_EQ(merged("tolerations: [{key: gpu, effect: NoSchedule, operator: Exists}]", "tolerations: " + two),
            yaml("tolerations: " + two))
      << "the first replaces that of the pod";
  EXPECT_EQ(merged("ports: [{containerPort: 7400}]",
                   "ports: [{containerPort: 53, protocol: TCP}, {containerPort: 53, protocol: UDP}]"),
            yaml("ports: [{containerPort: 7400}, {containerPort: 53, protocol: TCP}, {containerPort: 53, protocol: "
                 "UDP}]"));
}

JobSpec job_with(const std::string& worker_template) {
  JobSpec spec = some_job();
  spec.worker_pod.pod_template = std::get<Node>(parse_yaml(worker_template));
  return spec;
}

json pod(const JobSpec& spec, const train::Member& member) {
  return pod_manifest(spec, "team", process_of(spec, member, {0, 1}), {"image", {{"HOST", "a"}}});
}

std::vector<std::string> names(const json& list, const char* key = "name") {
  std::vector<std::string> found;
  for (const json& one : list) found.push_back(one.at(key));
  return found;
}

TEST(PodManifest, HasWhatTheTemplateOfItsRoleAdds) {
  const JobSpec spec = job_with(R"(
metadata: {labels: {team: sea}, annotations: {a: b, cluster-autoscaler.kubernetes.io/safe-to-evict: "true"}}
spec:
  serviceAccountName: trainer
  priorityClassName: low
  securityContext: {runAsUser: null, fsGroup: 7}
  tolerations: [{key: spot, operator: Exists}]
  volumes: [{name: shm, emptyDir: {medium: Memory}}]
  containers:
  - name: trainer
    env: [{name: HOST, value: b}, {name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}]
    volumeMounts: [{name: shm, mountPath: /dev/shm}]
  - {name: sidecar, image: a}
)");
  const json made = pod(spec, worker(1)), plain = pod(some_job(), worker(1));
  EXPECT_EQ(made["metadata"]["labels"]["team"], "sea");
  EXPECT_EQ(made["metadata"]["labels"]["carrack.dev/role"], "worker");
  EXPECT_EQ(made["metadata"]["annotations"], yaml("{a: b, cluster-autoscaler.kubernetes.io/safe-to-evict: 'true'}"));
  const json& of_pod = made["spec"];
  EXPECT_EQ(of_pod["serviceAccountName"], "trainer");
  EXPECT_EQ(of_pod["automountServiceAccountToken"], false);
  EXPECT_EQ(of_pod["priorityClassName"], "low");
  EXPECT_EQ(of_pod["securityContext"],
            yaml("{runAsNonRoot: true, runAsGroup: 65532, fsGroup: 7, seccompProfile: {type: "
                 "RuntimeDefault}}"));
  EXPECT_EQ(of_pod["tolerations"].size(), 3U);
  EXPECT_EQ(names(of_pod["volumes"]), (std::vector<std::string>{"job", "shm"}));
  EXPECT_EQ(names(of_pod["containers"]), (std::vector<std::string>{"trainer", "sidecar"}));
  const json& trainer = of_pod["containers"][0];
  EXPECT_EQ(names(trainer["volumeMounts"], "mountPath"), (std::vector<std::string>{"/etc/carrack", "/dev/shm"}));
  EXPECT_EQ(trainer["env"].size(), plain["spec"]["containers"][0]["env"].size() + 1);
  EXPECT_EQ(trainer["env"][0]["name"], "POD_IP");
  EXPECT_EQ(trainer["env"][1], yaml("{name: HOST, value: b}"));
  EXPECT_EQ(trainer["image"], "image");
}

TEST(PodManifest, HasNoReadinessProbeOrAMorePatientOneIfTheTemplateSaysSo) {
  const auto probe_with = [](const std::string& said) {
    const json made = pod(job_with("spec: {containers: [{name: trainer, readinessProbe: " + said + "}]}"), worker(0));
    return made["spec"]["containers"][0].value("readinessProbe", json());
  };
  EXPECT_EQ(probe_with("null"), json());
  EXPECT_EQ(probe_with("{failureThreshold: 60}"),
            yaml("{httpGet: {path: /healthz, port: 7402}, periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 60}"));
}

TEST(PodManifest, HasNothingOfTheTemplateOfAnotherRole) {
  const JobSpec spec = job_with("spec: {serviceAccountName: trainer}");
  EXPECT_EQ(pod(spec, ps(0)), pod(some_job(), ps(0)));
  EXPECT_EQ(pod(spec, coordinator), pod(some_job(), coordinator));
  EXPECT_EQ(pod(spec, ps(0))["metadata"]["annotations"],
            yaml("{cluster-autoscaler.kubernetes.io/safe-to-evict: 'false'}"));
}

}  // namespace
}  // namespace carrack::control
