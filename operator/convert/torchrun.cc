#include "operator/convert/torchrun.h"

#include <utility>

namespace carrack::control {
namespace {

constexpr const char* processes_variable = "PET_NPROC_PER_NODE";
// Kubernetes replaces $(NAME) by the value of a variable that comes earlier in the pod's list. Carrack's operator puts
// MASTER_ADDR and MASTER_PORT first.
constexpr const char* leader_host = "$(MASTER_ADDR)";
constexpr const char* leader_port = "$(MASTER_PORT)";

const Node* find(const Node::Map& map, std::string_view name) {
  for (const Entry& entry : map) {
    if (entry.name == name && !is_null(entry.node)) return &entry.node;
  }
  return nullptr;
}

// Accepts a number for a setting that is defined as text, such as nprocPerNode, because manifests often have numbers.
std::string number_or_text(const Node& node, const std::string& field, Conversion& conversion) {
  if (const auto* number = std::get_if<std::int64_t>(&node.value)) return to_text(*number);
  return conversion.text(node, field).value_or("");
}

// Converts spec.elasticPolicy to the variables PET_..., from which torchrun reads its options.
class Elastic {
 public:
  Elastic(const Node::Map& policy, Conversion& conversion) : policy_(policy), conversion_(conversion) {}

  std::vector<Variable> variables() {
    set("PET_RDZV_BACKEND", text_or("rdzvBackend", "c10d"));
    set("PET_RDZV_ENDPOINT", text_or("rdzvHost", leader_host) + ":" + text_or("rdzvPort", leader_port));
    if (!find(policy_, "rdzvBackend")) {
      conversion_.add(ChangeKind::added, path("rdzvBackend"), "env PET_RDZV_BACKEND with c10d, as Kubeflow's does");
    }
    if (!find(policy_, "rdzvHost")) {
      conversion_.add(ChangeKind::added, path("rdzvHost"), "env PET_RDZV_ENDPOINT with the address of the leader");
    }
    for (const Entry& entry : policy_) {
      if (!is_null(entry.node)) convert(entry);
    }
    return std::move(variables_);
  }

 private:
  static std::string path(const std::string& name) { return "spec.elasticPolicy." + name; }

  void set(const std::string& name, const std::string& value) { variables_.push_back({name, value}); }

  void rename(const Entry& entry, const std::string& variable) {
    set(variable, number_or_text(entry.node, path(entry.name), conversion_));
    conversion_.renamed(path(entry.name), "env " + variable);
  }

  std::string text_or(const std::string& name, const std::string& otherwise) {
    const Node* node = find(policy_, name);
    return node ? number_or_text(*node, path(name), conversion_) : otherwise;
  }

  void convert(const Entry& entry) {
    const std::string& name = entry.name;
    if (name == "rdzvBackend") {
      conversion_.renamed(path(name), "env PET_RDZV_BACKEND");
    } else if (name == "rdzvHost" || name == "rdzvPort") {
      conversion_.renamed(path(name), "env PET_RDZV_ENDPOINT");
    } else if (name == "rdzvId") {
      rename(entry, "PET_RDZV_ID");
    } else if (name == "maxRestarts") {
      rename(entry, "PET_MAX_RESTARTS");
    } else if (name == "nProcPerNode") {
      rename(entry, processes_variable);
    } else if (name == "rdzvConf") {
      convert_settings(entry.node);
    } else if (name == "standalone") {
      convert_standalone(entry.node);
    } else if (name == "minReplicas" || name == "maxReplicas") {
      conversion_.add(ChangeKind::unsupported, path(name),
                      "the number of workers is fixed: PET_NNODES is that of all processes, and if one ends, all start "
                      "again");
    } else if (name == "metrics") {
      conversion_.add(ChangeKind::unsupported, path(name),
                      "there is no autoscaling; change spec.replicas.worker.count");
    } else {
      conversion_.drop_unknown(path(name));
    }
  }

  void convert_settings(const Node& node) {
    const Node::List* settings = conversion_.list(node, path("rdzvConf"));
    if (!settings) return;
    std::string joined;
    for (const Node& setting : *settings) {
      joined += (joined.empty() ? "" : ",") + text_in(setting, "key") + "=" + text_in(setting, "value");
    }
    set("PET_RDZV_CONF", joined);
    conversion_.renamed(path("rdzvConf"), "env PET_RDZV_CONF");
  }

  void convert_standalone(const Node& node) {
    const auto standalone = conversion_.boolean(node, path("standalone"));
    if (standalone.value_or(false)) set("PET_STANDALONE", "");
    conversion_.renamed(path("standalone"), "env PET_STANDALONE");
  }

  const Node::Map& policy_;
  Conversion& conversion_;
  std::vector<Variable> variables_;
};

}  // namespace

std::vector<Variable> torchrun_variables(const Node::Map& spec, Conversion& conversion) {
  if (conversion.is_tensorflow()) return {};
  std::vector<Variable> variables;
  const Node* elastic = find(spec, "elasticPolicy");
  const Node::Map* policy = elastic ? conversion.object(*elastic, "spec.elasticPolicy") : nullptr;
  if (policy) variables = Elastic(*policy, conversion).variables();
  const std::string field = "spec.nprocPerNode";
  if (const Node* processes = find(spec, "nprocPerNode")) {
    const std::string value = number_or_text(*processes, field, conversion);
    variables.push_back({processes_variable, value});
    conversion.renamed(field, std::string("env ") + processes_variable);
    if (value.find_first_not_of("0123456789") == value.npos && value != "1") {
      conversion.add(ChangeKind::changed, field,
                     "WORLD_SIZE counts pods, not their processes; torchrun gives its processes the right one");
    }
  } else if (!policy || !find(*policy, "nProcPerNode")) {
    variables.push_back({processes_variable, "auto"});
    conversion.add(ChangeKind::added, field, "env PET_NPROC_PER_NODE with auto, as Kubeflow's operator sets it");
  }
  return variables;
}

}  // namespace carrack::control
