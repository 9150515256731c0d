#include "operator/convert/replicas.h"

#include "tests/operator/convert/converted.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string pod = "template: {spec: {containers: [{name: tensorflow, image: i}]}}";

ConvertedJob with_roles(const std::string& roles) {
  return converted(manifest("TFJob", "tfReplicaSpecs: {" + roles + "}"));
}

std::string problems_of_roles(const std::string& roles) {
  return problems(manifest("TFJob", "tfReplicaSpecs: {" + roles + "}"));
}

ConvertedJob with_pod(const std::string& fields) {
  return with_roles("Worker: {replicas: 2, template: {spec: {" + fields + "}}}");
}

ConvertedJob with_container(const std::string& fields) {
  return with_pod("containers: [{name: tensorflow, image: i, " + fields + "}]");
}

std::string container_of(const ConvertedJob& job) {
  const Node containers = at(job.job, {"spec", "replicas", "worker", "template", "spec", "containers"});
  return to_json(std::get<Node::List>(containers.value).front());
}

TEST(KubeflowReplicas, RolesHaveTheirNamesInAnyCase) {
  const ConvertedJob job =
      with_roles("master: {" + pod + "}, ps: {replicas: 2, " + pod + "}, WORKER: {replicas: 3, " + pod + "}");
  EXPECT_EQ(value(job, {"spec", "replicas", "coordinator", "count"}), "1");
  EXPECT_EQ(value(job, {"spec", "replicas", "ps", "count"}), "2");
  EXPECT_EQ(value(job, {"spec", "replicas", "worker", "count"}), "3");
  EXPECT_THAT(changes_of(job, "spec.tfReplicaSpecs.master"),
              ElementsAre("changed: TF_CONFIG calls it chief, as newer releases of TensorFlow do"));
}

TEST(KubeflowReplicas, ARoleWithoutReplicasIsLeftOut) {
  const ConvertedJob job = with_roles("PS: {replicas: 0, " + pod + "}, Worker: {" + pod + "}");
  EXPECT_EQ(value(job, {"spec", "replicas", "ps"}), "null");
  EXPECT_THAT(changes_of(job, "spec.tfReplicaSpecs.PS"), ElementsAre("dropped: has no replicas"));
}

TEST(KubeflowReplicas, RolesThatTrainingJobsLackAreRefusedByName) {
  EXPECT_EQ(problems_of_roles("Worker: {" + pod + "}, Evaluator: {" + pod + "}"),
            "spec.tfReplicaSpecs.Evaluator: TrainingJobs have no evaluator; run it as a job of its own over the "
            "checkpoints, and leave it out");
  EXPECT_EQ(problems_of_roles("Worker: {" + pod + "}, Launcher: {" + pod + "}"),
            "spec.tfReplicaSpecs.Launcher: is not a role of a TFJob; there are Chief, Master, PS, Worker");
  EXPECT_EQ(problems_of_roles("Chief: {" + pod + "}, Master: {" + pod + "}"),
            "spec.tfReplicaSpecs.Master: is the second coordinator; there can be one field for it");
  EXPECT_EQ(problems_of_roles("PS: {" + pod + "}"),
            "spec.tfReplicaSpecs: has no Worker and no Chief; nobody would end the job");
  EXPECT_EQ(problems(manifest("PyTorchJob", "pytorchReplicaSpecs: {PS: {" + pod + "}}")),
            "spec.pytorchReplicaSpecs.PS: is not a role of a PyTorchJob; there are Master, Worker");
}

TEST(KubeflowReplicas, NumbersAreChecked) {
  EXPECT_EQ(problems_of_roles("Chief: {replicas: 2, " + pod + "}"),
            "spec.tfReplicaSpecs.Chief.replicas: is 2; a TrainingJob has at most one leader");
  EXPECT_EQ(problems_of_roles("Worker: {replicas: -1, " + pod + "}"),
            "spec.tfReplicaSpecs.Worker.replicas: is -1; must be at least 0");
  EXPECT_EQ(problems_of_roles("Worker: {replicas: two, " + pod + "}"),
            "spec.tfReplicaSpecs.Worker.replicas: is text; must be a whole number");
  EXPECT_EQ(problems_of_roles("Worker: 3"), "spec.tfReplicaSpecs.Worker: is a whole number; must be an object");
}

TEST(KubeflowReplicas, ATemplateNamesTheContainerThatTrains) {
  const std::string field = "spec.tfReplicaSpecs.Worker.template";
  EXPECT_EQ(problems_of_roles("Worker: {}"), field + ": is missing; it names the image");
  EXPECT_EQ(problems_of_roles("Worker: {template: {}}"), field + ".spec: is missing; it names the image");
  EXPECT_EQ(problems_of_roles("Worker: {template: {spec: {}}}"),
            field + ".spec.containers: is missing; it names the image");
  EXPECT_EQ(problems_of_roles("Worker: {template: {spec: {containers: {}}}}"),
            field + ".spec.containers: is an object; must be a list");
  EXPECT_EQ(problems_of_roles("Worker: {template: {spec: {containers: [{name: a}, {name: b}]}}}"),
            field +
                ".spec.containers: has no container named tensorflow, in which a TFJob trains; there are: a, b; name "
                "it so");
  EXPECT_EQ(problems_of_roles("Worker: {template: {spec: {containers: [{name: tensorflow}]}}}"),
            field + ".spec.containers[0].image: is missing; give the image with the training program");
  EXPECT_EQ(
      problems_of_roles("Worker: {template: {spec: {containers: [{name: tensorflow, image: i}, {name: trainer}]}}}"),
      field +
          ".spec.containers[1].name: is trainer, as the container that trains is called in a TrainingJob; give it "
          "another name");
}

TEST(KubeflowReplicas, WhatAPodOfATrainingJobCannotHaveIsLeftOut) {
  const ConvertedJob job = with_pod(
      "restartPolicy: Never, hostname: h, subdomain: s, nodeName: node-1, activeDeadlineSeconds: 5, "
      "terminationGracePeriodSeconds: 90, nodeSelector: {a: b}, "
      "containers: [{name: tensorflow, image: i, terminationMessagePath: /m, resources: {limits: {nvidia.com/gpu: "
      "1}}}]");
  EXPECT_EQ(value(job, {"spec", "replicas", "worker", "template", "spec"}),
            R"({"containers":[{"image":"i","name":"trainer","resources":{"limits":{"nvidia.com/gpu":1}}}],)"
            R"("nodeSelector":{"a":"b"}})");
  EXPECT_EQ(value(job, {"spec", "run", "drainSeconds"}), "90");
  const std::string field = "spec.tfReplicaSpecs.Worker.template.spec.";
  EXPECT_THAT(changes_of(job, field + "restartPolicy"),
              ElementsAre("dropped: Kubeflow's operator, too, goes by the restartPolicy of the role"));
  EXPECT_THAT(changes_of(job, field + "hostname"),
              ElementsAre("unsupported: each pod has its role and index as its name"));
  EXPECT_THAT(changes_of(job, field + "subdomain"),
              ElementsAre("unsupported: all pods of the job are in one headless Service"));
  EXPECT_THAT(changes_of(job, field + "nodeName"), ElementsAre("unsupported: use nodeSelector or affinity"));
  EXPECT_THAT(changes_of(job, field + "activeDeadlineSeconds"),
              ElementsAre("unsupported: is for one pod; spec.run.activeDeadlineSeconds is for the whole job"));
  EXPECT_THAT(changes_of(job, field + "terminationGracePeriodSeconds"),
              ElementsAre("changed: is now spec.run.drainSeconds, the longest of all roles"));
  EXPECT_THAT(changes_of(job, field + "containers[0].terminationMessagePath"),
              ElementsAre("unsupported: Carrack's operator reads the message of a process that ends"));
}

TEST(KubeflowReplicas, EmptyFieldsOfAPodAreLeftOut) {
  const ConvertedJob job = with_pod(
      "tolerations: null, terminationGracePeriodSeconds: null, hostname: null, containers: [{name: tensorflow, image: "
      "i, "
      "env: null, ports: null}]");
  EXPECT_EQ(value(job, {"spec", "replicas", "worker", "template", "spec"}),
            R"({"containers":[{"image":"i","name":"trainer"}]})");
}

TEST(KubeflowReplicas, AServiceAccountKeepsItsToken) {
  const std::string account = "serviceAccountName: s, containers: [{name: tensorflow, image: i}]";
  const auto mounts = [](const ConvertedJob& job) {
    return value(job, {"spec", "replicas", "worker", "template", "spec", "automountServiceAccountToken"});
  };
  EXPECT_EQ(mounts(with_pod(account)), "true");
  EXPECT_EQ(mounts(with_pod("automountServiceAccountToken: false, " + account)), "false");
  EXPECT_EQ(mounts(with_pod("containers: [{name: tensorflow, image: i}]")), "null");
}

TEST(KubeflowReplicas, OnlyLabelsAndAnnotationsOfAPodStay) {
  const ConvertedJob job = with_roles(
      "Worker: {template: {metadata: {name: pod, labels: {a: b}, annotations: {c: d}}, spec: "
      "{containers: [{name: tensorflow, image: i}]}}}");
  EXPECT_EQ(value(job, {"spec", "replicas", "worker", "template", "metadata"}),
            R"({"annotations":{"c":"d"},"labels":{"a":"b"}})");
  EXPECT_THAT(changes_of(job, "spec.tfReplicaSpecs.Worker.template.metadata.name"),
              ElementsAre("dropped: pods get their names from the operator"));
}

TEST(KubeflowReplicas, LabelsAndAnnotationsOfTheOperatorAreLeftOut) {
  const ConvertedJob job = with_roles(
      "Worker: {template: {metadata: {labels: {app.kubernetes.io/managed-by: Helm, a: b}, annotations: "
      "{carrack.dev/x: v}}, spec: {containers: [{name: tensorflow, image: i}]}}}");
  EXPECT_EQ(value(job, {"spec", "replicas", "worker", "template", "metadata"}),
            R"({"annotations":{},"labels":{"a":"b"}})");
  const std::string field = "spec.tfReplicaSpecs.Worker.template.metadata.";
  for (const char* name : {"labels.app.kubernetes.io/managed-by", "annotations.carrack.dev/x"}) {
    EXPECT_THAT(changes_of(job, field + name), ElementsAre("dropped: belongs to Carrack's operator")) << name;
  }
}

TEST(KubeflowReplicas, TheFirstPortIsTheOneForOtherProcesses) {
  EXPECT_EQ(
      container_of(with_container("ports: [{containerPort: 80, name: web}, {containerPort: 5, name: tfjob-port}]")),
      R"({"image":"i","name":"trainer","ports":[{"containerPort":5,"name":"tfjob-port"},)"
      R"({"containerPort":80,"name":"web"}]})");
  EXPECT_EQ(container_of(with_container("ports: [{containerPort: 80, name: web}]")),
            R"({"image":"i","name":"trainer","ports":[{"containerPort":2222,"name":"tfjob-port"},)"
            R"({"containerPort":80,"name":"web"}]})");
  EXPECT_EQ(container_of(with_container("ports: []")), R"({"image":"i","name":"trainer","ports":[]})");
}

TEST(KubeflowReplicas, VariablesThatTheOperatorSetsAreLeftOut) {
  const ConvertedJob job = with_container("env: [{name: TF_CONFIG, value: '{}'}, {name: RANK, value: '0'}]");
  EXPECT_EQ(container_of(job), R"({"env":[{"name":"RANK","value":"0"}],"image":"i","name":"trainer"})");
  EXPECT_THAT(changes_of(job, "spec.tfReplicaSpecs.Worker.template.spec.containers[0].env[0]"),
              ElementsAre("dropped: Carrack's operator sets TF_CONFIG"));
}

TEST(KubeflowReplicas, HostsOfKubeflowAreFound) {
  const ConvertedJob job = with_container("args: ['--ps=line-ps-0.team:2222', line-ps-x, online-ps, line]");
  const std::string field = "spec.tfReplicaSpecs.Worker.template.spec.containers[0].args";
  EXPECT_THAT(changes_of(job, field + "[0]"),
              ElementsAre("unsupported: names a host of Kubeflow, which has another name now; take it from TF_CONFIG"));
  for (const char* other : {"[1]", "[2]", "[3]"}) EXPECT_THAT(changes_of(job, field + other), IsEmpty()) << other;
}

TEST(KubeflowReplicas, NeverFailsTheJobAtAnyExitCode) {
  for (const std::string fields : {"restartPolicy: Never, ", "restartPolicy: '', ", ""}) {
    const ConvertedJob job = converted(tensorflow_worker(fields));
    const Node rules = at(job.job, {"spec", "run", "failureRules"});
    const auto* list = std::get_if<Node::List>(&rules.value);
    ASSERT_TRUE(list) << fields;
    std::int64_t next = 1;
    for (const Node& rule : *list) {
      EXPECT_EQ(to_json(at(rule, {"action"})), R"("Fail")");
      EXPECT_EQ(at(rule, {"roles"}), Node()) << "it is for all roles";
      const Node codes = at(rule, {"exitCodes"});
      EXPECT_LE(std::get<Node::List>(codes.value).size(), 50U) << "as many as a rule may have";
      for (const Node& code : std::get<Node::List>(codes.value)) EXPECT_EQ(std::get<std::int64_t>(code.value), next++);
    }
    EXPECT_EQ(next, 256);
  }
}

TEST(KubeflowReplicas, SaysWhatNeverIs) {
  const std::string rules =
      " is now spec.run.failureRules with action Fail for exit codes 1-255; a pod that the cluster takes away before "
      "its "
      "process ends is replaced";
  const std::string field = "spec.tfReplicaSpecs.Worker.restartPolicy";
  EXPECT_THAT(changes_of(converted(tensorflow_worker("restartPolicy: Never, ")), field),
              ElementsAre("changed: Never" + rules));
  EXPECT_THAT(changes_of(converted(tensorflow_worker("")), field),
              ElementsAre("changed: is not given, so Never, which" + rules));
  EXPECT_THAT(changes_of(converted(pytorch_with("")), "spec.pytorchReplicaSpecs.Master.restartPolicy"), IsEmpty());
}

TEST(KubeflowReplicas, ExitCodeFailsTheJobAtThoseOfTheProgram) {
  const ConvertedJob job =
      with_roles("PS: {restartPolicy: Always, " + pod + "}, Worker: {restartPolicy: ExitCode, " + pod + "}");
  const std::string rules = value(job, {"spec", "run", "failureRules"});
  EXPECT_THAT(rules, HasSubstr(R"(126,127],"roles":["worker"]}])"));
  EXPECT_THAT(rules, HasSubstr(R"([{"action":"Fail","exitCodes":[1,2,)"));
  EXPECT_THAT(changes_of(job, "spec.tfReplicaSpecs.Worker.restartPolicy"),
              ElementsAre("renamed: ExitCode is now spec.run.failureRules with action Fail for exit codes 1-127"));
  EXPECT_THAT(changes_of(job, "spec.tfReplicaSpecs.PS.restartPolicy"),
              ElementsAre("changed: a process that fails starts again, as is usual; one that succeeds does not"));
}

TEST(KubeflowReplicas, OtherRestartPoliciesAreRefused) {
  EXPECT_EQ(problems_of_roles("Worker: {restartPolicy: Sometimes, " + pod + "}"),
            "spec.tfReplicaSpecs.Worker.restartPolicy: is 'Sometimes'; must be Always, OnFailure, Never or ExitCode");
}

}  // namespace
}  // namespace carrack::control
