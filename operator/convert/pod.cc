#include "operator/convert/pod.h"

#include <algorithm>
#include <array>
#include <utility>

#include "operator/core/own_environment.h"
#include "operator/core/pod_names.h"

namespace carrack::control {
namespace {

constexpr std::int64_t drain_seconds_max = 86'400;
constexpr std::array roles_in_hosts = {"chief", "master", "ps", "worker", "evaluator"};

// A field of a pod or container that the template of a TrainingJob must not have, and how the conversion reports that
// it leaves the field out.
struct OwnedField {
  std::string_view name;
  ChangeKind kind;
  std::string_view text;
};

constexpr std::array owned_of_pod = {
    OwnedField{"restartPolicy", ChangeKind::dropped, "Kubeflow's operator, too, goes by the restartPolicy of the role"},
    OwnedField{"activeDeadlineSeconds", ChangeKind::unsupported,
               "is for one pod; spec.run.activeDeadlineSeconds is for the whole job"},
    OwnedField{"hostname", ChangeKind::unsupported, "each pod has its role and index as its name"},
    OwnedField{"subdomain", ChangeKind::unsupported, "all pods of the job are in one headless Service"},
    OwnedField{"nodeName", ChangeKind::unsupported, "use nodeSelector or affinity"},
};

constexpr std::string_view reads_message = "Carrack's operator reads the message of a process that ends";
constexpr std::array owned_of_container = {
    OwnedField{"restartPolicy", ChangeKind::dropped, "a process that ends is started again in another pod"},
    OwnedField{"terminationMessagePath", ChangeKind::unsupported, reads_message},
    OwnedField{"terminationMessagePolicy", ChangeKind::unsupported, reads_message},
};

class Pod {
 public:
  Pod(const std::vector<Variable>& variables, Conversion& conversion)
      : variables_(variables), conversion_(conversion) {}

  ConvertedPod convert(const Node& pod_template, const std::string& field) {
    ConvertedPod converted;
    const Node::Map* fields = conversion_.object(pod_template, field);
    if (!fields) return converted;
    Node::Map kept;
    for (const Entry& entry : *fields) {
      const std::string path = field + "." + entry.name;
      if (entry.name == "spec") {
        kept.push_back({"spec", convert_spec(entry.node, path)});
      } else if (entry.name != "metadata") {
        conversion_.drop_unknown(path);
      } else if (!is_null(entry.node)) {
        kept.push_back({"metadata", convert_metadata(entry.node, path)});
      }
    }
    if (!child(pod_template, "spec")) conversion_.refuse(field + ".spec", "is missing; it names the image");
    converted.pod_template.value = std::move(kept);
    converted.grace_seconds = grace_seconds_;
    return converted;
  }

 private:
  // Returns the fields that have a value, except those in `owned`. Reports those as changes.
  template <std::size_t size>
  Node::Map without(const Node::Map& fields, const std::array<OwnedField, size>& owned, const std::string& field) {
    Node::Map kept;
    for (const Entry& entry : fields) {
      if (is_null(entry.node)) continue;
      const auto found = std::ranges::find(owned, entry.name, &OwnedField::name);
      if (found == owned.end()) {
        kept.push_back(entry);
      } else {
        conversion_.add(found->kind, field + "." + entry.name, std::string(found->text));
      }
    }
    return kept;
  }

  Node convert_metadata(const Node& metadata, const std::string& field) {
    const Node::Map* fields = conversion_.object(metadata, field);
    if (!fields) return {};
    Node::Map kept;
    for (const Entry& entry : *fields) {
      if (entry.name == "labels" || entry.name == "annotations") {
        kept.push_back({entry.name, without_own_names(entry.node, field + "." + entry.name)});
      } else {
        conversion_.add(ChangeKind::dropped, field + "." + entry.name, "pods get their names from the operator");
      }
    }
    return Node{std::move(kept)};
  }

  // Returns the labels or annotations without those that belong to Carrack's operator, which refuses a template that
  // has them. Charts, for example, set app.kubernetes.io/managed-by.
  Node without_own_names(const Node& names, const std::string& field) {
    const auto* map = std::get_if<Node::Map>(&names.value);
    if (!map) return names;
    Node::Map others;
    for (const Entry& entry : *map) {
      if (entry.name.starts_with(label_prefix) || entry.name == managed_by_label) {
        conversion_.add(ChangeKind::dropped, field + "." + entry.name, "belongs to Carrack's operator");
      } else {
        others.push_back(entry);
      }
    }
    return Node{std::move(others)};
  }

  Node convert_spec(const Node& spec, const std::string& field) {
    const Node::Map* fields = conversion_.object(spec, field);
    if (!fields) return {};
    Node::Map kept;
    for (Entry& entry : without(*fields, owned_of_pod, field)) {
      const std::string path = field + "." + entry.name;
      if (entry.name == "containers") {
        entry.node = convert_containers(entry.node, path);
      } else if (entry.name == "terminationGracePeriodSeconds") {
        grace_seconds_ = conversion_.number(entry.node, path, 0, drain_seconds_max);
        continue;
      }
      kept.push_back(std::move(entry));
    }
    if (!child(spec, "containers")) conversion_.refuse(field + ".containers", "is missing; it names the image");
    if (!text_in(spec, "serviceAccountName").empty() && !child(spec, "automountServiceAccountToken")) {
      kept.push_back({"automountServiceAccountToken", Node{true}});
      conversion_.add(ChangeKind::added, field + ".serviceAccountName",
                      "automountServiceAccountToken: true, which pods of a TrainingJob do not have by themselves");
    }
    return Node{std::move(kept)};
  }

  Node convert_containers(const Node& containers, const std::string& field) {
    const Node::List* list = conversion_.list(containers, field);
    if (!list) return {};
    Node::List converted;
    std::string names;
    bool is_found = false;
    for (std::size_t at = 0; at < list->size(); ++at) {
      const Node& container = (*list)[at];
      const std::string name = text_in(container, "name"), path = field + "[" + to_text(at) + "]";
      const bool trains = name == conversion_.kind().container;
      if (name == trainer_container) {
        conversion_.refuse(path + ".name",
                           "is trainer, as the container that trains is called in a TrainingJob; "
                           "give it another name");
      }
      converted.push_back(trains ? convert_container(container, path) : container);
      is_found = is_found || trains;
      names += (names.empty() ? "" : ", ") + name;
    }
    if (!is_found) {
      const std::string wanted(conversion_.kind().container);
      conversion_.refuse(field, "has no container named " + wanted + ", in which a " +
                                    std::string(conversion_.kind().name) + " trains; there are: " + names +
                                    "; name it so");
    }
    return Node{std::move(converted)};
  }

  Node convert_container(const Node& container, const std::string& field) {
    const Node::Map* fields = conversion_.object(container, field);
    if (!fields) return {};
    if (text_in(container, "image").empty()) {
      conversion_.refuse(field + ".image", "is missing; give the image with the training program");
    }
    Node::Map kept;
    for (Entry& entry : without(*fields, owned_of_container, field)) {
      if (entry.name == "name") {
        entry.node = Node{std::string(trainer_container)};
        conversion_.renamed(field + ".name", std::string(trainer_container));
      } else if (entry.name == "env") {
        entry.node = convert_env(entry.node, field + ".env");
      } else if (entry.name == "ports") {
        entry.node = convert_ports(entry.node, field + ".ports");
      }
      kept.push_back(std::move(entry));
    }
    const Node* env = child(container, "env");
    if ((!env || is_null(*env)) && !variables_.empty()) {
      kept.push_back({"env", convert_env(Node{Node::List{}}, field + ".env")});
    }
    return Node{std::move(kept)};
  }

  bool is_set_by_carrack(const std::string& variable) const {
    return is_own_variable(conversion_.is_tensorflow() ? Framework::tensorflow : Framework::pytorch, variable);
  }

  Node convert_env(const Node& env, const std::string& field) {
    const Node::List* list = conversion_.list(env, field);
    if (!list) return {};
    Node::List converted;
    for (std::size_t at = 0; at < list->size(); ++at) {
      const std::string name = text_in((*list)[at], "name"), path = field + "[" + to_text(at) + "]";
      if (is_set_by_carrack(name)) {
        conversion_.add(ChangeKind::dropped, path, "Carrack's operator sets " + name);
      } else if (std::ranges::find(variables_, name, &Variable::name) != variables_.end()) {
        conversion_.add(ChangeKind::dropped, path, "Kubeflow's operator, too, sets " + name + " in its place");
      } else {
        converted.push_back((*list)[at]);
      }
    }
    for (const Variable& variable : variables_) {
      converted.push_back(Node{Node::Map{{"name", Node{variable.name}}, {"value", Node{variable.value}}}});
    }
    return Node{std::move(converted)};
  }

  // Makes the port by which the processes find each other the first one, as Carrack expects it to be.
  Node convert_ports(const Node& ports, const std::string& field) {
    const Node::List* list = conversion_.list(ports, field);
    if (!list || list->empty()) return ports;
    Node::List converted = *list;
    const std::string name(conversion_.kind().port_name);
    const auto named = std::ranges::find_if(converted, [&](const Node& port) { return text_in(port, "name") == name; });
    if (named == converted.end()) {
      const std::int64_t port = conversion_.kind().port;
      converted.insert(converted.begin(), Node{Node::Map{{"name", Node{name}}, {"containerPort", Node{port}}}});
      conversion_.add(ChangeKind::added, field, name + " with " + to_text(port) + ", as Kubeflow's operator adds it");
    } else if (named != converted.begin()) {
      std::rotate(converted.begin(), named, named + 1);
      conversion_.add(ChangeKind::changed, field,
                      name + " is now the first port, by which the processes of a TrainingJob find each other");
    }
    return Node{std::move(converted)};
  }

  const std::vector<Variable>& variables_;
  Conversion& conversion_;
  std::optional<std::int64_t> grace_seconds_;
};

// Returns true if the text contains JOB-ROLE-INDEX, the host name of a pod in a job of Kubeflow.
bool names_host(const std::string& text, const std::string& job_name) {
  return !job_name.empty() && std::ranges::any_of(roles_in_hosts, [&](const char* role) {
    const std::string host = job_name + "-" + role + "-";
    const std::size_t at = text.find(host);
    return at != text.npos && text.find_first_of("0123456789", at) == at + host.size();
  });
}

// Reports each text below `node` that contains a host name of Kubeflow, such as mnist-worker-0. The pods of the
// TrainingJob have other names, so the text is wrong there.
void find_hosts(const Node& node, const std::string& field, const std::string& job_name, Conversion& conversion) {
  if (const auto* map = std::get_if<Node::Map>(&node.value)) {
    for (const Entry& entry : *map) find_hosts(entry.node, field + "." + entry.name, job_name, conversion);
  } else if (const auto* list = std::get_if<Node::List>(&node.value)) {
    for (std::size_t at = 0; at < list->size(); ++at) {
      find_hosts((*list)[at], field + "[" + to_text(at) + "]", job_name, conversion);
    }
  } else if (const auto* text = std::get_if<std::string>(&node.value); text && names_host(*text, job_name)) {
    conversion.add(ChangeKind::unsupported, field,
                   std::string("names a host of Kubeflow, which has another name now; take it from ") +
                       (conversion.is_tensorflow() ? "TF_CONFIG" : "MASTER_ADDR"));
  }
}

}  // namespace

ConvertedPod convert_pod(const Node& pod_template, const std::string& field, const std::string& job_name,
                         const std::vector<Variable>& variables, Conversion& conversion) {
  find_hosts(pod_template, field, job_name, conversion);
  return Pod(variables, conversion).convert(pod_template, field);
}

}  // namespace carrack::control
