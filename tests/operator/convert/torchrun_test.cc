#include "operator/convert/torchrun.h"

#include "tests/operator/convert/converted.h"

namespace carrack::control {
namespace {

using testing::Contains;
using testing::ElementsAre;

// The variables of the container that trains, "NAME=VALUE" each.
std::vector<std::string> variables(const ConvertedJob& job) {
  EXPECT_THAT(job.problems, testing::IsEmpty()) << describe(job.problems);
  const Node containers = at(job.job, {"spec", "replicas", "coordinator", "template", "spec", "containers"});
  const Node env = at(std::get<Node::List>(containers.value).front(), {"env"});
  std::vector<std::string> lines;
  for (const Node& one : std::get<Node::List>(env.value)) {
    lines.push_back(text_in(one, "name") + "=" + text_in(one, "value"));
  }
  return lines;
}

TEST(KubeflowTorchrun, HasAsManyProcessesAsKubeflowGivesIt) {
  EXPECT_THAT(variables(converted(pytorch_with(""))), ElementsAre("PET_NPROC_PER_NODE=auto"));
  EXPECT_THAT(variables(converted(pytorch_with("nprocPerNode: gpu, "))), ElementsAre("PET_NPROC_PER_NODE=gpu"));
  const ConvertedJob job = converted(pytorch_with("nprocPerNode: 4, "));
  EXPECT_THAT(variables(job), ElementsAre("PET_NPROC_PER_NODE=4"));
  EXPECT_THAT(changes_of(job, "spec.nprocPerNode"),
              Contains("changed: WORLD_SIZE counts pods, not their processes; torchrun gives its processes the right "
                       "one"));
  EXPECT_EQ(problems(pytorch_with("nprocPerNode: [], ")), "spec.nprocPerNode: is a list; must be text");
}

TEST(KubeflowTorchrun, AnElasticPolicyIsVariables) {
  const ConvertedJob job = converted(pytorch_with(
      "elasticPolicy: {rdzvBackend: etcd, rdzvHost: h, rdzvPort: 7, rdzvId: i, rdzvConf: [{key: a, value: b}, "
      "{key: c, value: d}], standalone: true, nProcPerNode: 2, maxRestarts: 3}, "));
  EXPECT_THAT(variables(job),
              ElementsAre("PET_RDZV_BACKEND=etcd", "PET_RDZV_ENDPOINT=h:7", "PET_RDZV_ID=i", "PET_RDZV_CONF=a=b,c=d",
                          "PET_STANDALONE=", "PET_NPROC_PER_NODE=2", "PET_MAX_RESTARTS=3"));
  EXPECT_THAT(changes_of(job, "spec.elasticPolicy.rdzvHost"), ElementsAre("renamed: is now env PET_RDZV_ENDPOINT"));
}

TEST(KubeflowTorchrun, ProcessesMeetAtTheLeader) {
  const ConvertedJob job = converted(pytorch_with("elasticPolicy: {}, "));
  EXPECT_THAT(variables(job), ElementsAre("PET_RDZV_BACKEND=c10d", "PET_RDZV_ENDPOINT=$(MASTER_ADDR):$(MASTER_PORT)",
                                          "PET_NPROC_PER_NODE=auto"));
  EXPECT_THAT(changes_of(job, "spec.elasticPolicy.rdzvHost"),
              ElementsAre("added: env PET_RDZV_ENDPOINT with the address of the leader"));
}

TEST(KubeflowTorchrun, TheNumberOfWorkersIsFixed) {
  const ConvertedJob job = converted(pytorch_with("elasticPolicy: {minReplicas: 1, maxReplicas: 3, metrics: []}, "));
  for (const char* field : {"spec.elasticPolicy.minReplicas", "spec.elasticPolicy.maxReplicas"}) {
    EXPECT_THAT(
        changes_of(job, field),
        ElementsAre("unsupported: the number of workers is fixed: PET_NNODES is that of all processes, and if one "
                    "ends, all start again"));
  }
  EXPECT_THAT(changes_of(job, "spec.elasticPolicy.metrics"),
              ElementsAre("unsupported: there is no autoscaling; change spec.replicas.worker.count"));
}

TEST(KubeflowTorchrun, WrongValuesAreRefused) {
  EXPECT_EQ(problems(pytorch_with("elasticPolicy: [], ")), "spec.elasticPolicy: is a list; must be an object");
  EXPECT_EQ(problems(pytorch_with("elasticPolicy: {rdzvConf: 1, standalone: maybe, rdzvId: {}}, ")),
            "spec.elasticPolicy.rdzvConf: is a whole number; must be a list\n"
            "spec.elasticPolicy.standalone: is text; must be true or false\n"
            "spec.elasticPolicy.rdzvId: is an object; must be text");
}

TEST(KubeflowTorchrun, VariablesOfTheManifestThatKubeflowSetsAreReplaced) {
  const ConvertedJob job =
      converted(manifest("PyTorchJob",
                         "pytorchReplicaSpecs: {Master: {template: {spec: {containers: [{name: pytorch, image: i, env: "
                         "[{name: A, value: b}, {name: PET_NPROC_PER_NODE, value: '8'}, {name: MASTER_PORT, value: "
                         "'1'}]}]}}}}"));
  EXPECT_THAT(variables(job), ElementsAre("A=b", "PET_NPROC_PER_NODE=auto"));
  const std::string field = "spec.pytorchReplicaSpecs.Master.template.spec.containers[0].env";
  EXPECT_THAT(changes_of(job, field + "[1]"),
              ElementsAre("dropped: Kubeflow's operator, too, sets PET_NPROC_PER_NODE in its place"));
  EXPECT_THAT(changes_of(job, field + "[2]"), ElementsAre("dropped: Carrack's operator sets MASTER_PORT"));
}

}  // namespace
}  // namespace carrack::control
