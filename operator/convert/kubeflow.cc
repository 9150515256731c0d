#include "operator/convert/kubeflow.h"

#include <algorithm>
#include <array>
#include <utility>

#include "operator/convert/replicas.h"
#include "operator/convert/run_policy.h"
#include "operator/convert/torchrun.h"

namespace carrack::control {
namespace {

constexpr std::string_view known_version = "kubeflow.org/v1";

constexpr std::array kinds = {
    KubeflowKind{"TFJob", "TensorFlow", "tfReplicaSpecs", "tensorflow", "tfjob-port", 2222, "Never"},
    KubeflowKind{"PyTorchJob", "PyTorch", "pytorchReplicaSpecs", "pytorch", "pytorchjob-port", 23456, "OnFailure"},
};
constexpr std::array other_kinds = {"MPIJob", "XGBoostJob", "MXJob", "PaddleJob", "JAXJob"};

// The annotation in which kubectl stores the manifest that it has applied.
constexpr std::string_view kubectl_annotation = "kubectl.kubernetes.io/last-applied-configuration";

class Job {
 public:
  explicit Job(const KubeflowKind& kind) : conversion_(kind) {}

  ConvertedJob convert(const Node& manifest) {
    if (const Node* metadata = child(manifest, "metadata")) job_name_ = text_in(*metadata, "name");
    Node::Map job{{"apiVersion", text("carrack.dev/v1alpha1")}, {"kind", text("TrainingJob")}};
    for (const Entry& entry : std::get<Node::Map>(manifest.value)) {
      if (entry.name == "apiVersion" || entry.name == "kind") {
        conversion_.renamed(entry.name, text_in(Node{job}, entry.name));
      } else if (entry.name == "metadata") {
        job.push_back({"metadata", convert_metadata(entry.node)});
      } else if (entry.name == "spec") {
        job.push_back({"spec", convert_spec(entry.node)});
      } else if (entry.name == "status") {
        conversion_.add(ChangeKind::dropped, "status", "is that of the old job");
      } else {
        conversion_.drop_unknown(entry.name);
      }
    }
    if (!child(manifest, "metadata")) conversion_.refuse("metadata", "is missing; give the job a name");
    if (!child(manifest, "spec")) conversion_.refuse("spec", "is missing");
    return {Node{std::move(job)}, conversion_.take_changes(), conversion_.take_problems()};
  }

 private:
  static Node text(std::string_view value) { return Node{std::string(value)}; }

  Node convert_metadata(const Node& metadata) {
    const Node::Map* fields = conversion_.object(metadata, "metadata");
    if (!fields) return {};
    if (job_name_.empty() && text_in(metadata, "generateName").empty()) {
      conversion_.refuse("metadata.name", "is missing; give the job a name");
    }
    Node::Map kept;
    for (const Entry& entry : *fields) {
      const std::string field = "metadata." + entry.name;
      if (is_kept_metadata(entry.name)) {
        kept.push_back(entry);
        conversion_.add(ChangeKind::kept, field, "");
        if (entry.name == "labels") describe_labels_of_kueue(entry.node);
      } else if (entry.name == "annotations") {
        add_annotations(entry, kept);
      } else {
        conversion_.add(ChangeKind::dropped, field, "is that of the old object");
      }
    }
    return Node{std::move(kept)};
  }

  static bool is_kept_metadata(const std::string& name) {
    return name == "name" || name == "generateName" || name == "namespace" || name == "labels";
  }

  void describe_labels_of_kueue(const Node& labels) {
    const auto* map = std::get_if<Node::Map>(&labels.value);
    if (!map) return;
    for (const Entry& label : *map) {
      if (!label.name.starts_with("kueue.x-k8s.io/")) continue;
      conversion_.add(ChangeKind::unsupported, "metadata.labels." + label.name,
                      "stays, but Kueue does not know TrainingJobs: the job starts without waiting for a quota");
    }
  }

  void add_annotations(Entry annotations, Node::Map& kept) {
    if (auto* map = std::get_if<Node::Map>(&annotations.node.value)) {
      const auto removed = std::erase_if(*map, [](const Entry& entry) { return entry.name == kubectl_annotation; });
      if (removed > 0) {
        conversion_.add(ChangeKind::dropped, "metadata.annotations." + std::string(kubectl_annotation),
                        "is that of the old object");
      }
      if (map->empty()) return;
    }
    kept.push_back(std::move(annotations));
    conversion_.add(ChangeKind::kept, "metadata.annotations", "");
  }

  Node convert_spec(const Node& spec) {
    const Node::Map* fields = conversion_.object(spec, "spec");
    if (!fields) return {};
    const std::vector<Variable> variables = torchrun_variables(*fields, conversion_);
    const std::string replica_specs(conversion_.kind().replica_specs);
    ConvertedReplicas replicas;
    Node::Map run;
    for (const Entry& entry : *fields) {
      if (entry.name == replica_specs) {
        replicas = convert_replicas(entry.node, job_name_, variables, conversion_);
      } else if (entry.name == "runPolicy") {
        if (!is_null(entry.node)) run = convert_run_policy(entry.node, conversion_);
      } else if (!is_of_framework(entry.name)) {
        drop_unknown(entry.name);
      }
    }
    if (!child(spec, replica_specs)) conversion_.refuse("spec." + replica_specs, "is missing; it lists the roles");
    const bool waits_for_all = needs_all_workers(spec, replicas);
    allow_workers_to_fail(spec, replicas);
    describe_restarts(replicas.restarts, conversion_);
    complete_run(replicas, run);
    Node::Map converted{{"strategy", text("Own")}, {"framework", text(conversion_.kind().framework)}};
    if (waits_for_all) converted.push_back({"success", text("AllWorkers")});
    converted.push_back({"replicas", Node{std::move(replicas.replicas)}});
    if (!run.empty()) converted.push_back({"run", Node{std::move(run)}});
    return Node{std::move(converted)};
  }

  // Returns true for the fields of spec that exist only for this framework. convert_spec() converts them separately.
  bool is_of_framework(const std::string& name) const {
    if (conversion_.is_tensorflow()) return name == "successPolicy" || name == "enableDynamicWorker";
    return name == "elasticPolicy" || name == "nprocPerNode";
  }

  // Reports a field of spec that kubeflow.org/v1 does not have. Before v1 the fields of runPolicy were in spec, so for
  // these the report says where they belong now.
  void drop_unknown(const std::string& name) {
    constexpr std::array moved = {"cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit",
                                  "schedulingPolicy"};
    if (std::ranges::find(moved, name) == moved.end()) return conversion_.drop_unknown("spec." + name);
    conversion_.add(ChangeKind::dropped, "spec." + name,
                    "kubeflow.org/v1 does not read it here; it belongs in spec.runPolicy");
  }

  // Returns true if the job succeeds once all its workers have succeeded; false if it succeeds once its leader has.
  bool needs_all_workers(const Node& spec, const ConvertedReplicas& replicas) {
    if (!conversion_.is_tensorflow()) {
      if (has_coordinator(replicas)) return false;
      const Node* elastic = child(spec, "elasticPolicy");
      const bool is_elastic = elastic && !is_null(*elastic);
      conversion_.add(is_elastic ? ChangeKind::changed : ChangeKind::added, "spec.pytorchReplicaSpecs",
                      is_elastic ? "the job succeeds with worker 0, not with any worker"
                                 : "spec.success: AllWorkers, as Kubeflow's operator does without a Master");
      return !is_elastic;
    }
    const std::string field = "spec.successPolicy";
    const Node* node = child(spec, "successPolicy");
    const auto policy = node ? conversion_.text(*node, field) : "";
    if (!policy || !node) return false;
    if (policy->empty()) {
      conversion_.add(ChangeKind::dropped, field, "the success of the leader is that of the job, as is usual");
      return false;
    }
    if (*policy != "AllWorkers") {
      conversion_.refuse(field, "is '" + *policy + "'; must be '' or AllWorkers");
      return false;
    }
    if (has_coordinator(replicas)) {
      conversion_.add(ChangeKind::dropped, field, "Kubeflow's operator does not read it if there is a Chief");
      return false;
    }
    conversion_.renamed(field, "spec.success: AllWorkers");
    return true;
  }

  // Converts enableDynamicWorker of a TFJob. If it is true, a worker that fails starts again, and the job does not
  // fail.
  void allow_workers_to_fail(const Node& spec, ConvertedReplicas& replicas) {
    const std::string field = "spec.enableDynamicWorker";
    const Node* node = child(spec, "enableDynamicWorker");
    if (!conversion_.is_tensorflow() || !node || is_null(*node)) return;
    const auto is_enabled = conversion_.boolean(*node, field);
    if (!is_enabled) return;
    if (!*is_enabled) return conversion_.add(ChangeKind::dropped, field, "TF_CONFIG names all workers, as is usual");
    const auto worker = std::ranges::find(replicas.restarts, "worker", &RoleRestarts::role);
    if (worker != replicas.restarts.end()) worker->policy = RestartPolicy::on_failure;
    conversion_.add(ChangeKind::unsupported, field,
                    "TF_CONFIG names all workers, whose number is fixed; one that fails starts again and does not fail "
                    "the job");
  }

  // Adds fields to spec.run that the old job has in its replica specs, and reports the different default of
  // backoffLimit.
  void complete_run(const ConvertedReplicas& replicas, Node::Map& run) {
    const auto fails_at_once = [](const RoleRestarts& role) { return role.policy == RestartPolicy::never; };
    const bool has_limit = std::ranges::find(run, "backoffLimit", &Entry::name) != run.end();
    if (!has_limit && !std::ranges::all_of(replicas.restarts, fails_at_once)) {
      conversion_.add(ChangeKind::changed, "spec.runPolicy.backoffLimit",
                      "is not given: Kubeflow's operator then restarts without end, Carrack's fails the job after 6 "
                      "restarts of all its processes; set spec.run.backoffLimit");
    }
    if (replicas.grace_seconds) run.push_back({"drainSeconds", Node{*replicas.grace_seconds}});
    Node::List rules = failure_rules(replicas.restarts);
    if (!rules.empty()) run.push_back({"failureRules", Node{std::move(rules)}});
  }

  Conversion conversion_;
  std::string job_name_;
};

Problem refusal_of_version(const std::string& version, const std::string& kind) {
  if (version.starts_with("trainer.kubeflow.org/")) {
    return {
        "apiVersion",
        "is " + version + ", of Kubeflow Trainer v2; the pods of a " + (kind.empty() ? "job" : kind) +
            " are those of a runtime in the cluster; only TFJob and PyTorchJob of kubeflow.org/v1 can be converted"};
  }
  if (version.starts_with("kubeflow.org/")) {
    return {"apiVersion", "is " + version + "; only kubeflow.org/v1 can be converted, as its fields have other places"};
  }
  if (version.starts_with("carrack.dev/")) return {"apiVersion", "is " + version + "; this is a TrainingJob already"};
  return {"apiVersion", (version.empty() ? "is missing" : "is " + version) +
                            "; this is not a job of Kubeflow; give a TFJob or PyTorchJob of kubeflow.org/v1"};
}

Problem refusal_of_kind(const std::string& kind) {
  if (std::ranges::find(other_kinds, kind) != other_kinds.end()) {
    return {"kind", "is " + kind + "; only TFJob and PyTorchJob can be converted"};
  }
  return {"kind", (kind.empty() ? "is missing" : "is " + kind) + "; must be TFJob or PyTorchJob"};
}

}  // namespace

ConvertedJob convert_kubeflow(const Node& manifest) {
  if (!std::holds_alternative<Node::Map>(manifest.value)) {
    return {{}, {}, {{"manifest", "is " + std::string(describe_type(manifest)) + "; must be an object"}}};
  }
  const std::string version = text_in(manifest, "apiVersion"), kind = text_in(manifest, "kind");
  if (version != known_version) return {{}, {}, {refusal_of_version(version, kind)}};
  const auto found = std::ranges::find(kinds, kind, &KubeflowKind::name);
  if (found == kinds.end()) return {{}, {}, {refusal_of_kind(kind)}};
  return Job(*found).convert(manifest);
}

}  // namespace carrack::control
