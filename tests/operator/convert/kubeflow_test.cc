#include "operator/convert/kubeflow.h"

#include <utility>

#include "tests/operator/convert/converted.h"

namespace carrack::control {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Kubeflow, TFJobKeepsItsOrderAndItsImages) {
  const ConvertedJob job = converted(R"(# with comments
apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: mnist
  namespace: team
  labels: {owner: me}
spec:
  runPolicy:
    cleanPodPolicy: All
    backoffLimit: 3
  tfReplicaSpecs:
    PS:
      replicas: 2
      restartPolicy: OnFailure
      template:
        spec:
          containers:
            - name: tensorflow
              image: registry/mnist
    Chief:
      restartPolicy: OnFailure
      template:
        metadata:
          labels:
            app: mnist
        spec:
          restartPolicy: Never
          containers:
            - name: proxy
              image: registry/proxy
            - name: tensorflow
              image: registry/mnist
              command: [python, train.py]
              ports:
                - containerPort: 2200
                  name: tfjob-port
)");
  EXPECT_THAT(job.problems, IsEmpty()) << describe(job.problems);
  EXPECT_EQ(to_yaml(job.job), R"(apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata:
  name: mnist
  namespace: team
  labels:
    owner: me
spec:
  strategy: Own
  framework: TensorFlow
  replicas:
    ps:
      count: 2
      template:
        spec:
          containers:
            - name: trainer
              image: registry/mnist
    coordinator:
      count: 1
      template:
        metadata:
          labels:
            app: mnist
        spec:
          containers:
            - name: proxy
              image: registry/proxy
            - name: trainer
              image: registry/mnist
              command:
                - python
                - train.py
              ports:
                - containerPort: 2200
                  name: tfjob-port
  run:
    keepPods: None
    backoffLimit: 3
)");
}

TEST(Kubeflow, EveryFieldHasALine) {
  const ConvertedJob job = converted(R"(
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a, uid: b, annotations: {c: d, kubectl.kubernetes.io/last-applied-configuration: "{}"}}
spec:
  nprocPerNode: "1"
  backoffLimit: 3
  tfReplicaSpecs: {}
  pytorchReplicaSpecs:
    Master: {replicas: 1, restartPolicy: OnFailure, color: red, template: {spec: {containers: [{name: pytorch, image: i}]}}}
status: {conditions: []}
extra: 1
)");
  std::vector<std::string> lines;
  for (const Change& change : job.changes) lines.push_back(std::string(spelled(change.kind)) + " " + change.field);
  EXPECT_THAT(lines, ElementsAre("renamed apiVersion", "renamed kind", "kept metadata.name", "dropped metadata.uid",
                                 "dropped metadata.annotations.kubectl.kubernetes.io/last-applied-configuration",
                                 "kept metadata.annotations", "renamed spec.nprocPerNode", "dropped spec.backoffLimit",
                                 "dropped spec.tfReplicaSpecs", "renamed spec.pytorchReplicaSpecs.Master.replicas",
                                 "dropped spec.pytorchReplicaSpecs.Master.color",
                                 "renamed spec.pytorchReplicaSpecs.Master.template",
                                 "renamed spec.pytorchReplicaSpecs.Master.template.spec.containers[0].name",
                                 "changed spec.pytorchReplicaSpecs.Master.restartPolicy",
                                 "changed spec.runPolicy.backoffLimit", "dropped status", "dropped extra"));
  EXPECT_EQ(value(job, {"metadata"}), R"({"annotations":{"c":"d"},"name":"a"})");
  EXPECT_THAT(changes_of(job, "spec.backoffLimit"),
              ElementsAre("dropped: kubeflow.org/v1 does not read it here; it belongs in spec.runPolicy"));
  EXPECT_THAT(changes_of(job, "extra"), ElementsAre("dropped: is not a field of a PyTorchJob of kubeflow.org/v1"));
}

TEST(Kubeflow, OtherKindsAndVersionsAreRefusedByName) {
  const auto refusal = [](const std::string& version, const std::string& kind) {
    return problems("apiVersion: " + version + "\nkind: " + kind + "\n");
  };
  for (const std::string kind : {"MPIJob", "XGBoostJob", "MXJob", "PaddleJob", "JAXJob"}) {
    EXPECT_EQ(refusal("kubeflow.org/v1", kind), "kind: is " + kind + "; only TFJob and PyTorchJob can be converted");
  }
  EXPECT_EQ(refusal("kubeflow.org/v1", "Job"), "kind: is Job; must be TFJob or PyTorchJob");
  for (const std::string version : {"kubeflow.org/v1beta2", "kubeflow.org/v1alpha2", "kubeflow.org/v2beta1"}) {
    EXPECT_EQ(refusal(version, "TFJob"),
              "apiVersion: is " + version + "; only kubeflow.org/v1 can be converted, as its fields have other places");
  }
  EXPECT_EQ(
      refusal("trainer.kubeflow.org/v1alpha1", "TrainJob"),
      "apiVersion: is trainer.kubeflow.org/v1alpha1, of Kubeflow Trainer v2; the pods of a TrainJob are those of a "
      "runtime in the cluster; only TFJob and PyTorchJob of kubeflow.org/v1 can be converted");
  EXPECT_EQ(refusal("carrack.dev/v1alpha1", "TrainingJob"),
            "apiVersion: is carrack.dev/v1alpha1; this is a TrainingJob already");
  EXPECT_EQ(refusal("batch/v1", "Job"),
            "apiVersion: is batch/v1; this is not a job of Kubeflow; give a TFJob or PyTorchJob of kubeflow.org/v1");
  EXPECT_EQ(problems("a: 1\n"),
            "apiVersion: is missing; this is not a job of Kubeflow; give a TFJob or PyTorchJob of kubeflow.org/v1");
  EXPECT_EQ(problems("apiVersion: kubeflow.org/v1\n"), "kind: is missing; must be TFJob or PyTorchJob");
  EXPECT_EQ(problems("[]\n"), "manifest: is a list; must be an object");
}

TEST(Kubeflow, WhatIsMissingOrOfAnotherTypeIsRefused) {
  EXPECT_EQ(problems("apiVersion: kubeflow.org/v1\nkind: TFJob\n"),
            "metadata: is missing; give the job a name\nspec: is missing");
  EXPECT_EQ(problems("apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {}\nspec: {}\n"),
            "metadata.name: is missing; give the job a name\nspec.tfReplicaSpecs: is missing; it lists the roles");
  EXPECT_EQ(problems("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: [a]\nspec: 1\n"),
            "metadata: is a list; must be an object\nspec: is a whole number; must be an object");
  EXPECT_EQ(problems(manifest("TFJob", "tfReplicaSpecs: []")), "spec.tfReplicaSpecs: is a list; must be an object");
}

TEST(Kubeflow, AGeneratedNameIsAName) {
  const ConvertedJob job = converted(
      "apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {generateName: a-}\nspec: {tfReplicaSpecs: {Worker: "
      "{template: "
      "{spec: {containers: [{name: tensorflow, image: i}]}}}}}\n");
  EXPECT_EQ(value(job, {"metadata"}), R"({"generateName":"a-"})");
}

TEST(Kubeflow, LabelsOfKueueAreNamed) {
  const ConvertedJob job = converted(
      "apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {name: a, labels: {kueue.x-k8s.io/queue-name: q, b: "
      "c}}\nspec: "
      "{tfReplicaSpecs: {Worker: {template: {spec: {containers: [{name: tensorflow, image: i}]}}}}}\n");
  EXPECT_EQ(value(job, {"metadata", "labels"}), R"({"b":"c","kueue.x-k8s.io/queue-name":"q"})");
  EXPECT_THAT(
      changes_of(job, "metadata.labels.kueue.x-k8s.io/queue-name"),
      ElementsAre("unsupported: stays, but Kueue does not know TrainingJobs: the job starts without waiting for a "
                  "quota"));
}

TEST(Kubeflow, TheLeaderEndsATFJobUnlessAllWorkersAreToSucceed) {
  EXPECT_EQ(value(converted(tensorflow_worker("")), {"spec", "success"}), "null");
  const std::string worker = "Worker: {template: {spec: {containers: [{name: tensorflow, image: i}]}}}";
  const std::string chief = "Chief: {template: {spec: {containers: [{name: tensorflow, image: i}]}}}";
  const ConvertedJob all = converted(manifest("TFJob", "successPolicy: AllWorkers, tfReplicaSpecs: {" + worker + "}"));
  EXPECT_EQ(value(all, {"spec", "success"}), R"("AllWorkers")");
  const ConvertedJob usual = converted(manifest("TFJob", "successPolicy: '', tfReplicaSpecs: {" + worker + "}"));
  EXPECT_EQ(value(usual, {"spec", "success"}), "null");
  const ConvertedJob with_chief =
      converted(manifest("TFJob", "successPolicy: AllWorkers, tfReplicaSpecs: {" + chief + ", " + worker + "}"));
  EXPECT_EQ(value(with_chief, {"spec", "success"}), "null");
  EXPECT_THAT(changes_of(with_chief, "spec.successPolicy"),
              ElementsAre("dropped: Kubeflow's operator does not read it if there is a Chief"));
  EXPECT_EQ(problems(manifest("TFJob", "successPolicy: Any, tfReplicaSpecs: {" + worker + "}")),
            "spec.successPolicy: is 'Any'; must be '' or AllWorkers");
}

TEST(Kubeflow, AllWorkersOfAPyTorchJobWithoutMasterAreToSucceed) {
  const std::string workers =
      "pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [{name: pytorch, image: i}]}}}}";
  EXPECT_EQ(value(converted(manifest("PyTorchJob", workers)), {"spec", "success"}), R"("AllWorkers")");
  EXPECT_EQ(value(converted(pytorch_with("")), {"spec", "success"}), "null");
  const ConvertedJob elastic = converted(manifest("PyTorchJob", "elasticPolicy: {}, " + workers));
  EXPECT_EQ(value(elastic, {"spec", "success"}), "null");
  EXPECT_THAT(changes_of(elastic, "spec.pytorchReplicaSpecs"),
              Contains("changed: the job succeeds with worker 0, not with any worker"));
}

TEST(Kubeflow, WorkersThatMayFailDoNotFailTheJob) {
  const ConvertedJob job =
      converted(manifest("TFJob",
                         "enableDynamicWorker: true, tfReplicaSpecs: {Worker: {restartPolicy: Never, template: "
                         "{spec: {containers: [{name: tensorflow, image: i}]}}}}"));
  EXPECT_EQ(value(job, {"spec", "run"}), "null");
  EXPECT_THAT(
      changes_of(job, "spec.enableDynamicWorker"),
      ElementsAre("unsupported: TF_CONFIG names all workers, whose number is fixed; one that fails starts again "
                  "and does not fail the job"));
  EXPECT_EQ(problems(manifest("TFJob",
                              "enableDynamicWorker: 1, tfReplicaSpecs: {Worker: {template: {spec: {containers: "
                              "[{name: tensorflow, image: i}]}}}}")),
            "spec.enableDynamicWorker: is a whole number; must be true or false");
}

TEST(Kubeflow, ASingleProcessOfTensorFlowHasATFConfig) {
  EXPECT_THAT(changes_of(converted(tensorflow_worker("replicas: 1, ")), "spec.tfReplicaSpecs"),
              ElementsAre("added: TF_CONFIG, which Kubeflow's operator leaves out for a single process"));
  EXPECT_THAT(changes_of(converted(tensorflow_worker("replicas: 2, ")), "spec.tfReplicaSpecs"), IsEmpty());
}

// Calls `look` with the document for each of its values in turn replaced by `other`.
template <class Look>
void replace_each(Node& document, Node& node, const Node& other, const Look& look) {
  Node kept = std::exchange(node, other);
  look(document);
  node = std::move(kept);
  if (auto* map = std::get_if<Node::Map>(&node.value)) {
    for (Entry& entry : *map) replace_each(document, entry.node, other, look);
  } else if (auto* list = std::get_if<Node::List>(&node.value)) {
    for (Node& entry : *list) replace_each(document, entry, other, look);
  }
}

TEST(Kubeflow, AnyValueMayBeOfAnotherType) {
  const std::string pod =
      "{metadata: {labels: {a: b}}, spec: {serviceAccountName: s, terminationGracePeriodSeconds: 5, containers: "
      "[{name: "
      "pytorch, image: i, env: [{name: A, value: b}], ports: [{name: p, containerPort: 5}]}]}}";
  Parsed parsed = parse_yaml(manifest(
      "PyTorchJob",
      "runPolicy: {suspend: true, backoffLimit: 1, cleanPodPolicy: All, managedBy: '', schedulingPolicy: {queue: q}}, "
      "nprocPerNode: auto, elasticPolicy: {rdzvHost: h, rdzvConf: [{key: a, value: b}], standalone: true}, "
      "pytorchReplicaSpecs: {Worker: {replicas: 2, restartPolicy: ExitCode, template: " +
          pod + "}}"));
  Node document = std::get<Node>(std::move(parsed));
  ASSERT_THAT(convert_kubeflow(document).problems, IsEmpty());
  int converted = 0, refused = 0;
  const std::vector<Node> others = {Node{},
                                    Node{true},
                                    Node{std::int64_t{-1}},
                                    Node{0.5},
                                    Node{"text-ps-0"},
                                    Node{Node::Map()},
                                    Node{Node::List{Node()}}};
  for (const Node& other : others) {
    replace_each(document, document, other, [&](const Node& changed) {
      const ConvertedJob job = convert_kubeflow(changed);
      ++(job.problems.empty() ? converted : refused);
      if (!job.problems.empty()) return;
      const Parsed written = parse_yaml(to_yaml(job.job));
      EXPECT_TRUE(std::holds_alternative<Node>(written)) << to_yaml(job.job);
    });
  }
  EXPECT_GT(converted, 50);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace carrack::control
