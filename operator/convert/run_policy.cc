#include "operator/convert/run_policy.h"

#include <array>
#include <string>

namespace carrack::control {
namespace {

constexpr std::int64_t year = 31'536'000;

// A number that spec.run of a TrainingJob has under the same name as spec.runPolicy, and its bounds in a TrainingJob.
struct NumberField {
  std::string_view name;
  std::int64_t min, max;
  std::string_view remark;  // how its meaning differs in a TrainingJob; empty if it does not
};

constexpr std::array numbers = {
    NumberField{"ttlSecondsAfterFinished", 0, year, ""}, NumberField{"activeDeadlineSeconds", 1, year, ""},
    NumberField{"backoffLimit", 0, 99, ", which counts restarts of the whole job, not of single pods"}};

class RunPolicyFields {
 public:
  explicit RunPolicyFields(Conversion& conversion) : conversion_(conversion) {}

  Node::Map convert(const Node& policy) {
    const Node::Map* fields = conversion_.object(policy, "spec.runPolicy");
    if (!fields) return {};
    for (const Entry& entry : *fields) {
      if (!is_null(entry.node)) convert(entry);
    }
    return std::move(run_);
  }

 private:
  void convert(const Entry& entry) {
    const std::string path = "spec.runPolicy." + entry.name;
    for (const NumberField& field : numbers) {
      if (entry.name == field.name) return convert_number(entry, field, path);
    }
    if (entry.name == "suspend") {
      if (const auto suspend = conversion_.boolean(entry.node, path)) set(entry.name, Node{*suspend}, path);
    } else if (entry.name == "cleanPodPolicy") {
      convert_clean_pods(entry.node, path);
    } else if (entry.name == "schedulingPolicy") {
      convert_scheduling(entry.node, path);
    } else if (entry.name == "managedBy") {
      convert_manager(entry.node, path);
    } else {
      conversion_.drop_unknown(path);
    }
  }

  void set(const std::string& name, Node value, const std::string& path, std::string_view remark = "") {
    run_.push_back({name, std::move(value)});
    conversion_.renamed(path, "spec.run." + name + std::string(remark));
  }

  void convert_number(const Entry& entry, const NumberField& field, const std::string& path) {
    const auto number = conversion_.number(entry.node, path, field.min, field.max);
    if (!number) return;
    if (field.remark.empty()) return set(entry.name, Node{*number}, path);
    run_.push_back({entry.name, Node{*number}});
    conversion_.add(ChangeKind::changed, path, "is now spec.run." + entry.name + std::string(field.remark));
  }

  // cleanPodPolicy says which pods are deleted when the job ends, and keepPods says which pods stay. With any policy,
  // Carrack stops the pods that still run, so both Running and None become All.
  void convert_clean_pods(const Node& node, const std::string& path) {
    const auto policy = conversion_.text(node, path);
    if (!policy) return;
    if (*policy == "All") return set("keepPods", Node{std::string("None")}, path, ": None");
    if (*policy == "Running") return set("keepPods", Node{std::string("All")}, path, ": All");
    if (!policy->empty() && *policy != "None") {
      return conversion_.refuse(path, "is '" + *policy + "'; must be All, Running or None");
    }
    run_.push_back({"keepPods", Node{std::string("All")}});
    conversion_.add(ChangeKind::changed, path,
                    "is now spec.run.keepPods: All; pods that still run when the job ends are stopped, not left alone");
  }

  void convert_scheduling(const Node& node, const std::string& path) {
    const Node::Map* fields = conversion_.object(node, path);
    if (!fields) return;
    for (const Entry& entry : *fields) {
      if (!is_null(entry.node)) convert_scheduling_field(entry.name, path + "." + entry.name);
    }
  }

  void convert_scheduling_field(const std::string& name, const std::string& path) {
    if (name == "minAvailable" || name == "minResources" || name == "queue") {
      conversion_.add(ChangeKind::unsupported, path, "there is no gang scheduling; pods are scheduled one by one");
    } else if (name == "priorityClass") {
      conversion_.add(ChangeKind::unsupported, path,
                      "there is no gang that has it; set priorityClassName in the pod templates");
    } else if (name == "scheduleTimeoutSeconds") {
      conversion_.add(
          ChangeKind::unsupported, path,
          "there is no gang scheduling; spec.run.startDeadlineSeconds fails a job that does not start in time");
    } else {
      conversion_.drop_unknown(path);
    }
  }

  void convert_manager(const Node& node, const std::string& path) {
    const auto manager = conversion_.text(node, path);
    if (!manager) return;
    if (manager->empty() || *manager == "kubeflow.org/training-operator") {
      conversion_.add(ChangeKind::dropped, path, "Carrack's operator manages all TrainingJobs");
    } else {
      conversion_.add(ChangeKind::unsupported, path, "Carrack's operator manages all TrainingJobs; Kueue does not");
    }
  }

  Conversion& conversion_;
  Node::Map run_;
};

}  // namespace

Node::Map convert_run_policy(const Node& policy, Conversion& conversion) {
  return RunPolicyFields(conversion).convert(policy);
}

}  // namespace carrack::control
