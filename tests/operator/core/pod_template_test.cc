#include "operator/core/pod_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/codec/node.h"
#include "tests/operator/core/own_job.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> problems_of(const std::string& yaml) {
  Problems problems;
  check_pod_template(JobSpec(), train::Role::worker, std::get<Node>(parse_yaml(yaml)), "t", problems);
  std::vector<std::string> lines;
  for (const Problem& problem : problems.found()) lines.push_back(problem.field + ": " + problem.text);
  return lines;
}

TEST(PodTemplate, MayHaveAllThatTheOperatorDoesNotNeed) {
  EXPECT_THAT(problems_of("{}"), IsEmpty());
  EXPECT_THAT(problems_of(R"(
metadata: {labels: {team: sea, carrack.development/x: a}, annotations: {a.b/c: d}}
spec:
  serviceAccountName: trainer
  automountServiceAccountToken: true
  nodeSelector: {a: b}
  tolerations: [{operator: Exists}]
  securityContext: {runAsUser: null, fsGroup: 7}
  initContainers: [{name: wait, image: a, command: [b], env: [{name: CARRACK_X, value: c}]}]
  containers:
  - name: trainer
    envFrom: [{secretRef: {name: a}}]
    env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}]
    ports: [{name: debug, containerPort: 7403}]
    volumeMounts: [{name: shm, mountPath: /dev/shm}, {name: shm, mountPath: /etc/carrack-more}]
  - {name: sidecar, image: a, args: [b], resources: {limits: {nvidia.com/gpu: 1}}}
  volumes: [{name: shm, emptyDir: {medium: Memory}}]
)"),
              IsEmpty());
}

TEST(PodTemplate, DoesNotChangeWhatThePodIs) {
  EXPECT_THAT(
      problems_of("{kind: Pod, metadata: {name: a, ownerReferences: [], labels: {carrack.dev/role: a, "
                  "app.kubernetes.io/managed-by: b}, annotations: {carrack.dev/x: c}}}"),
      ElementsAre("t.kind: is unknown; there are metadata, spec",
                  "t.metadata.name: belongs to the operator; only labels and annotations can be added",
                  "t.metadata.ownerReferences: belongs to the operator; only labels and annotations can be added",
                  "t.metadata.labels.carrack.dev/role: belongs to the operator; leave it out",
                  "t.metadata.labels.app.kubernetes.io/managed-by: belongs to the operator; leave it out",
                  "t.metadata.annotations.carrack.dev/x: belongs to the operator; leave it out"));
  EXPECT_THAT(
      problems_of("spec: {restartPolicy: Always, terminationGracePeriodSeconds: 5, activeDeadlineSeconds: 9, hostname: "
                  "a, subdomain: b, nodeName: c, volumes: [{name: job, emptyDir: {}}]}"),
      ElementsAre("t.spec.restartPolicy: belongs to the operator; leave it out: a member that ends is started again in "
                  "another pod",
                  "t.spec.terminationGracePeriodSeconds: belongs to the operator; set spec.run.drainSeconds",
                  "t.spec.activeDeadlineSeconds: belongs to the operator; leave it out",
                  "t.spec.hostname: belongs to the operator; leave it out",
                  "t.spec.subdomain: belongs to the operator; leave it out",
                  "t.spec.nodeName: belongs to the operator; use nodeSelector or affinity",
                  "t.spec.volumes[0].name: belongs to the operator; give the volume another name"));
}

TEST(PodTemplate, DoesNotChangeHowTheTrainerIsStarted) {
  const std::string own_trainer = ": belongs to the operator; leave it out: the operator starts its own trainer";
  EXPECT_THAT(
      problems_of("spec: {containers: [{name: trainer, image: a, command: [], args: [], resources: {}, restartPolicy: "
                  "Always, terminationMessagePath: /a, terminationMessagePolicy: File}]}"),
      ElementsAre("t.spec.containers[0].image" + own_trainer, "t.spec.containers[0].command" + own_trainer,
                  "t.spec.containers[0].args" + own_trainer,
                  "t.spec.containers[0].resources: belongs to the operator; set resources next to template",
                  "t.spec.containers[0].restartPolicy: belongs to the operator; leave it out: a member that ends is "
                  "started again in another pod",
                  "t.spec.containers[0].terminationMessagePath: belongs to the operator; leave it out",
                  "t.spec.containers[0].terminationMessagePolicy: belongs to the operator; leave it out"));
  EXPECT_THAT(problems_of("spec: {containers: [{name: trainer, env: [{name: POD_IP, value: a}, {name: CARRACK_ROLE, "
                          "value: ps}]}], initContainers: [{name: trainer}]}"),
              ElementsAre("t.spec.containers[0].env[0].name: belongs to the operator; it sets POD_IP "
                          "itself; leave it out",
                          "t.spec.containers[0].env[1].name: belongs to the operator; it sets "
                          "CARRACK_ROLE itself; leave it out",
                          "t.spec.initContainers[0].name: belongs to the operator; give the container another name"));
}

TEST(PodTemplate, OfTheUsersOwnProgramHasImageCommandAndResources) {
  const JobSpec own = own_job({.framework = Framework::tensorflow, .workers = 1});
  const auto problems_of_own = [&](const std::string& yaml) {
    Problems problems;
    check_pod_template(own, train::Role::worker, std::get<Node>(parse_yaml(yaml)), "t", problems);
    return problems.found();
  };
  EXPECT_THAT(problems_of_own("spec: {containers: [{name: trainer, image: a, command: [b], args: [c], resources: "
                              "{limits: {cpu: 1}}, ports: [{name: members, containerPort: 7400}], volumeMounts: "
                              "[{name: job, mountPath: /etc/carrack}], env: [{name: RANK, value: a}]}], volumes: "
                              "[{name: job, emptyDir: {}}]}"),
              IsEmpty());
  EXPECT_THAT(problems_of_own("spec: {hostname: a, containers: [{name: trainer, env: [{name: TF_CONFIG, value: a}]}]}"),
              ElementsAre(Problem{"t.spec.hostname", "belongs to the operator; leave it out"},
                          Problem{"t.spec.containers[0].env[0].name",
                                  "belongs to the operator; it sets TF_CONFIG itself; leave it out"}));
}

TEST(PodTemplate, LeavesTheOperatorsVolumeAndPortsAlone) {
  EXPECT_THAT(
      problems_of("spec: {containers: [{name: a, ports: [{name: members, containerPort: 1}, {containerPort: 7401}, "
                  "{name: health, containerPort: 7402}], volumeMounts: [{name: job, mountPath: /a}, {name: b, "
                  "mountPath: /etc/carrack/key}]}]}"),
      ElementsAre("t.spec.containers[0].ports[0].name: belongs to the operator; give the port another name",
                  "t.spec.containers[0].ports[1].containerPort: belongs to the operator; use another port",
                  "t.spec.containers[0].ports[2].name: belongs to the operator; give the port another name",
                  "t.spec.containers[0].ports[2].containerPort: belongs to the operator; use another port",
                  "t.spec.containers[0].volumeMounts[0].name: belongs to the operator; mount another volume",
                  "t.spec.containers[0].volumeMounts[1].mountPath: belongs to the operator; mount it elsewhere"));
}

// Else null would remove what the operator has there.
TEST(PodTemplate, HasListsAndObjectsWhereThePodDoes) {
  EXPECT_THAT(problems_of("[]"), ElementsAre("t: is a list; must be an object"));
  EXPECT_THAT(problems_of("{metadata: null, spec: null}"),
              ElementsAre("t.metadata: is empty; must be an object", "t.spec: is empty; must be an object"));
  EXPECT_THAT(
      problems_of("{metadata: {labels: null}, spec: {containers: null, volumes: a, tolerations: {}}}"),
      ElementsAre("t.metadata.labels: is empty; must be an object", "t.spec.containers: is empty; must be a list",
                  "t.spec.volumes: is text; must be a list", "t.spec.tolerations: is an object; must be a list"));
  EXPECT_THAT(problems_of("spec: {containers: [7, {name: trainer, env: null, ports: 1, volumeMounts: [true]}]}"),
              ElementsAre("t.spec.containers[0]: is a whole number; must be an object",
                          "t.spec.containers[1].ports: is a whole number; must be a list",
                          "t.spec.containers[1].volumeMounts[0]: is true or false; must be an object",
                          "t.spec.containers[1].env: is empty; must be a list"));
}

TEST(PodTemplate, NamesItsContainersAndEachOnce) {
  EXPECT_THAT(
      problems_of(
          "spec: {containers: [{image: a}, {name: trainer}, {name: trainer}], volumes: [{name: a}, {name: a}]}"),
      ElementsAre("t.spec.containers[0].name: is missing; that of the trainer is 'trainer'",
                  "t.spec.containers[2].name: 'trainer' is there twice", "t.spec.volumes[1].name: 'a' is there twice"));
}

}  // namespace
}  // namespace carrack::control
