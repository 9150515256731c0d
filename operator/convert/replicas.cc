#include "operator/convert/replicas.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "operator/convert/pod.h"

namespace carrack::control {
namespace {

struct RoleName {
  std::string_view of_kubeflow;  // in small letters; Kubeflow's operator ignores case
  std::string_view role;         // its name in a TrainingJob
  bool is_of_pytorch;            // a PyTorchJob may have it; a TFJob may have all roles
};

constexpr std::array role_names = {RoleName{"chief", "coordinator", false}, RoleName{"master", "coordinator", true},
                                   RoleName{"ps", "ps", false}, RoleName{"worker", "worker", true}};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

class Replicas {
 public:
  Replicas(const std::string& job_name, const std::vector<Variable>& variables, Conversion& conversion)
      : job_name_(job_name), variables_(variables), conversion_(conversion) {}

  ConvertedReplicas convert(const Node& specs) {
    const Node::Map* roles = conversion_.object(specs, root());
    if (!roles) return {};
    for (const Entry& entry : *roles) convert_role(entry);
    const auto trains = [](const Entry& entry) { return entry.name != "ps"; };
    if (!has_refused_role_ && std::ranges::none_of(converted_.replicas, trains)) {
      conversion_.refuse(root(), "has no Worker and no " +
                                     std::string(conversion_.is_tensorflow() ? "Chief" : "Master") +
                                     "; nobody would end the job");
    }
    if (conversion_.is_tensorflow() && processes_ == 1) {
      conversion_.add(ChangeKind::added, root(),
                      "TF_CONFIG, which Kubeflow's operator leaves out for a single process");
    }
    return std::move(converted_);
  }

 private:
  std::string root() const { return "spec." + std::string(conversion_.kind().replica_specs); }

  void refuse_role(const std::string& field, const std::string& text) {
    has_refused_role_ = true;
    conversion_.refuse(field, text);
  }

  void convert_role(const Entry& entry) {
    const std::string field = root() + "." + entry.name, name = lower_case(entry.name);
    const auto found = std::ranges::find(role_names, name, &RoleName::of_kubeflow);
    if (name == "evaluator" && conversion_.is_tensorflow()) {
      return refuse_role(field,
                         "TrainingJobs have no evaluator; run it as a job of its own over the checkpoints, and "
                         "leave it out");
    }
    if (found == role_names.end() || !(conversion_.is_tensorflow() || found->is_of_pytorch)) {
      return refuse_role(field, "is not a role of a " + std::string(conversion_.kind().name) + "; there are " +
                                    (conversion_.is_tensorflow() ? "Chief, Master, PS, Worker" : "Master, Worker"));
    }
    const std::string role(found->role);
    if (std::ranges::find(converted_.replicas, role, &Entry::name) != converted_.replicas.end()) {
      return refuse_role(field, "is the second " + role + "; there can be one field for it");
    }
    const Node::Map* fields = conversion_.object(entry.node, field);
    if (fields) {
      convert_fields(entry.node, *fields, field, role, name);
    } else {
      has_refused_role_ = true;
    }
  }

  void convert_fields(const Node& spec, const Node::Map& fields, const std::string& field, const std::string& role,
                      const std::string& kubeflow_role) {
    const std::string path = "spec.replicas." + role;
    const std::optional<std::int64_t> count = count_of(spec, field, role);
    if (count == 0) return conversion_.add(ChangeKind::dropped, field, "has no replicas");
    processes_ += count.value_or(1);
    Node::Map converted{{"count", Node{count.value_or(1)}}};
    bool has_template = false, is_policy_given = false;
    std::optional<RestartPolicy> policy = default_policy();
    for (const Entry& entry : fields) {
      const std::string below = field + "." + entry.name;
      if (entry.name == "replicas") {
        conversion_.renamed(below, path + ".count");
      } else if (entry.name == "restartPolicy") {
        policy = policy_of(entry.node, below);
        is_policy_given = !is_null(entry.node) && entry.node != Node{std::string()};
      } else if (entry.name == "template") {
        has_template = true;
        conversion_.renamed(below, path + ".template");
        converted.push_back({"template", convert_template(entry.node, below)});
      } else {
        conversion_.drop_unknown(below);
      }
    }
    if (!has_template) conversion_.refuse(field + ".template", "is missing; it names the image");
    if (kubeflow_role == "master" && conversion_.is_tensorflow()) {
      conversion_.add(ChangeKind::changed, field, "TF_CONFIG calls it chief, as newer releases of TensorFlow do");
    }
    if (policy) converted_.restarts.push_back({role, *policy, field + ".restartPolicy", is_policy_given});
    converted_.replicas.push_back({role, Node{std::move(converted)}});
  }

  std::optional<std::int64_t> count_of(const Node& spec, const std::string& field, const std::string& role) {
    const Node* replicas = child(spec, "replicas");
    if (!replicas || is_null(*replicas)) return 1;
    const auto count = conversion_.number(*replicas, field + ".replicas", 0, replicas_max);
    if (count && role == "coordinator" && *count > 1) {
      conversion_.refuse(field + ".replicas", "is " + to_text(*count) + "; a TrainingJob has at most one leader");
    }
    return count;
  }

  Node convert_template(const Node& pod_template, const std::string& field) {
    ConvertedPod pod = convert_pod(pod_template, field, job_name_, variables_, conversion_);
    if (pod.grace_seconds) {
      // A grace period may be 0, but spec.run.drainSeconds is at least 1.
      const std::int64_t longest = std::max(*pod.grace_seconds, converted_.grace_seconds.value_or(1));
      converted_.grace_seconds = longest;
      conversion_.add(ChangeKind::changed, field + ".spec.terminationGracePeriodSeconds",
                      "is now spec.run.drainSeconds, the longest of all roles");
    }
    return std::move(pod.pod_template);
  }

  RestartPolicy default_policy() const {
    return conversion_.kind().restart_policy == "Never" ? RestartPolicy::never : RestartPolicy::on_failure;
  }

  std::optional<RestartPolicy> policy_of(const Node& node, const std::string& field) {
    const auto policy = conversion_.text(node, field);
    if (!policy) return std::nullopt;
    if (policy->empty()) return default_policy();
    if (*policy == "Always") return RestartPolicy::always;
    if (*policy == "OnFailure") return RestartPolicy::on_failure;
    if (*policy == "Never") return RestartPolicy::never;
    if (*policy == "ExitCode") return RestartPolicy::exit_code;
    conversion_.refuse(field, "is '" + *policy + "'; must be Always, OnFailure, Never or ExitCode");
    return std::nullopt;
  }

  const std::string& job_name_;
  const std::vector<Variable>& variables_;
  Conversion& conversion_;
  ConvertedReplicas converted_;
  std::int64_t processes_ = 0;
  bool has_refused_role_ = false;
};

}  // namespace

ConvertedReplicas convert_replicas(const Node& specs, const std::string& job_name,
                                   const std::vector<Variable>& variables, Conversion& conversion) {
  return Replicas(job_name, variables, conversion).convert(specs);
}

bool has_coordinator(const ConvertedReplicas& converted) {
  return std::ranges::find(converted.replicas, "coordinator", &Entry::name) != converted.replicas.end();
}

}  // namespace carrack::control
