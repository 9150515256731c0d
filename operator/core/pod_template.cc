#include "operator/core/pod_template.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <variant>

#include "operator/core/own_environment.h"
#include "operator/core/pod_names.h"

namespace carrack::control {
namespace {

// A field that a template must not set, because the operator does, and what the user should do instead.
struct OwnedField {
  std::string_view name;
  std::string_view advice;
};

constexpr OwnedField owned_of_pod[] = {
    {"restartPolicy", "leave it out: a member that ends is started again in another pod"},
    {"terminationGracePeriodSeconds", "set spec.run.drainSeconds"},
    {"activeDeadlineSeconds", "leave it out"},
    {"hostname", "leave it out"},
    {"subdomain", "leave it out"},
    {"nodeName", "use nodeSelector or affinity"},
};

constexpr OwnedField owned_of_our_trainer[] = {
    {"image", "leave it out: the operator starts its own trainer"},
    {"command", "leave it out: the operator starts its own trainer"},
    {"args", "leave it out: the operator starts its own trainer"},
};

// Resources may be in the template only with strategy Own, whose templates often come from a Kubeflow job.
constexpr OwnedField owned_of_member[] = {
    {"resources", "set resources next to template"},
};

constexpr OwnedField owned_of_trainer[] = {
    {"restartPolicy", "leave it out: a member that ends is started again in another pod"},
    {"terminationMessagePath", "leave it out"},
    {"terminationMessagePolicy", "leave it out"},
};

class Check {
 public:
  Check(const JobSpec& spec, train::Role role, Problems& problems)
      : spec_(spec), runs_own_program_(runs_own_program(spec, role)), problems_(problems) {}

  void pod_template(const Node& node, const std::string& field) {
    for (const Entry& entry : object(node, field)) {
      const std::string below = field + "." + entry.name;
      if (entry.name == "metadata") {
        metadata(entry.node, below);
      } else if (entry.name == "spec") {
        pod(entry.node, below);
      } else {
        refuse(below, "is unknown; there are metadata, spec");
      }
    }
  }

 private:
  void refuse(const std::string& field, const std::string& text) { problems_.expect(false, field, text); }

  void refuse_owned(const std::string& field, std::string_view advice) {
    refuse(field, "belongs to the operator; " + std::string(advice));
  }

  const Node::Map& object(const Node& node, const std::string& field) {
    static const Node::Map empty;
    const auto* map = std::get_if<Node::Map>(&node.value);
    if (!map) refuse(field, "is " + std::string(describe_type(node)) + "; must be an object");
    return map ? *map : empty;
  }

  // Calls check(entry, path) for each entry of a list, if there is such a field. Adds a problem for an entry that is
  // not an object, and for one with the same text in its field `key` as an earlier entry.
  template <class CheckEntry>
  void list(const Node& parent, std::string_view name, const std::string& field, std::string_view key,
            CheckEntry check) {
    const Node* node = child(parent, name);
    if (!node) return;
    const std::string path = field + "." + std::string(name);
    const auto* entries = std::get_if<Node::List>(&node->value);
    if (!entries) return refuse(path, "is " + std::string(describe_type(*node)) + "; must be a list");
    std::set<std::string> before;
    for (std::size_t at = 0; at < entries->size(); ++at) {
      const Node& entry = (*entries)[at];
      const std::string below = path + "[" + to_text(at) + "]";
      if (object(entry, below).empty()) continue;
      const std::string value = text_in(entry, key);
      const bool is_new = value.empty() || before.insert(value).second;
      problems_.expect(is_new, below + "." + std::string(key), "'" + value + "' is there twice");
      check(entry, below);
    }
  }

  void text(const Node& node, const std::string& field) {
    if (std::holds_alternative<std::string>(node.value)) return;
    refuse(field, "is " + std::string(describe_type(node)) + "; must be text, so write it in quotes");
  }

  void texts(const Node& parent, std::string_view name, const std::string& field) {
    const Node* node = child(parent, name);
    if (!node) return;
    const std::string path = field + "." + std::string(name);
    const auto* entries = std::get_if<Node::List>(&node->value);
    if (!entries) {
      return refuse(path, "is " + std::string(describe_type(*node)) + "; must be a list with a text for each word");
    }
    for (std::size_t at = 0; at < entries->size(); ++at) text((*entries)[at], path + "[" + to_text(at) + "]");
  }

  void refuse_owned_fields(const Node& node, std::span<const OwnedField> fields, const std::string& field) {
    for (const OwnedField& one : fields) {
      if (child(node, one.name)) refuse_owned(field + "." + std::string(one.name), one.advice);
    }
  }

  void metadata(const Node& node, const std::string& field) {
    for (const Entry& entry : object(node, field)) {
      const std::string below = field + "." + entry.name;
      if (entry.name != "labels" && entry.name != "annotations") {
        refuse_owned(below, "only labels and annotations can be added");
        continue;
      }
      for (const Entry& one : object(entry.node, below)) {
        const bool is_ours = one.name.starts_with(label_prefix) || one.name == managed_by_label;
        if (is_ours) refuse_owned(below + "." + one.name, "leave it out");
      }
    }
  }

  void pod(const Node& node, const std::string& field) {
    if (object(node, field).empty()) return;
    refuse_owned_fields(node, owned_of_pod, field);
    list(node, "containers", field, "name",
         [&](const Node& entry, const std::string& below) { container(entry, below, /*may_be_trainer=*/true); });
    list(node, "initContainers", field, "name",
         [&](const Node& entry, const std::string& below) { container(entry, below, /*may_be_trainer=*/false); });
    list(node, "volumes", field, "name", [&](const Node& entry, const std::string& below) {
      if (!spec_.own && text_in(entry, "name") == job_volume)
        refuse_owned(below + ".name", "give the volume another name");
    });
    list(node, "tolerations", field, "", [](const Node&, const std::string&) {});
  }

  void container(const Node& node, const std::string& field, bool may_be_trainer) {
    const std::string name = text_in(node, "name");
    problems_.expect(!name.empty(), field + ".name", "is missing; that of the trainer is 'trainer'");
    list(node, "ports", field, "", [&](const Node& entry, const std::string& below) {
      if (!spec_.own) port(entry, below);
    });
    list(node, "volumeMounts", field, "mountPath", [&](const Node& entry, const std::string& below) {
      if (!spec_.own) mount(entry, below);
    });
    if (name != trainer_container) return;
    if (!may_be_trainer) return refuse_owned(field + ".name", "give the container another name");
    if (!runs_own_program_) refuse_owned_fields(node, owned_of_our_trainer, field);
    if (!spec_.own) refuse_owned_fields(node, owned_of_member, field);
    refuse_owned_fields(node, owned_of_trainer, field);
    for (const char* words : {"command", "args"}) {
      if (runs_own_program_) texts(node, words, field);
    }
    list(node, "env", field, "name", [&](const Node& entry, const std::string& below) {
      const std::string variable = text_in(entry, "name");
      if (const Node* value = child(entry, "value")) text(*value, below + ".value");
      if (is_ours(variable)) refuse_owned(below + ".name", "it sets " + variable + " itself; leave it out");
    });
  }

  bool is_ours(const std::string& variable) const {
    if (spec_.own) return is_own_variable(spec_.own->framework, variable);
    return variable.starts_with(variable_prefix) || variable == pod_ip_variable;
  }

  void port(const Node& node, const std::string& field) {
    const std::string name = text_in(node, "name");
    const Node* number = child(node, "containerPort");
    const auto is_number = [&](std::int64_t port) { return number && *number == Node{port}; };
    const bool has_our_name = name == member_port_name || name == progress_port_name || name == health_port_name;
    if (has_our_name) refuse_owned(field + ".name", "give the port another name");
    const bool is_ours = is_number(member_port) || is_number(progress_port) || is_number(health_port);
    if (is_ours) refuse_owned(field + ".containerPort", "use another port");
  }

  void mount(const Node& node, const std::string& field) {
    const std::string path = text_in(node, "mountPath");
    if (text_in(node, "name") == job_volume) refuse_owned(field + ".name", "mount another volume");
    const bool is_ours =
        path.starts_with(job_folder) && (path.size() == job_folder.size() || path[job_folder.size()] == '/');
    if (is_ours) refuse_owned(field + ".mountPath", "mount it elsewhere");
  }

  const JobSpec& spec_;
  const bool runs_own_program_;
  Problems& problems_;
};

}  // namespace

void check_pod_template(const JobSpec& spec, train::Role role, const Node& pod_template, const std::string& field,
                        Problems& problems) {
  Check(spec, role, problems).pod_template(pod_template, field);
}

const Node* trainer_container_in(const Node& pod_template) {
  const Node* pod = child(pod_template, "spec");
  if (!pod) return nullptr;
  const Node::List& containers = list_in(*pod, "containers");
  const auto found = std::ranges::find_if(
      containers, [](const Node& container) { return text_in(container, "name") == trainer_container; });
  return found == containers.end() ? nullptr : &*found;
}

const Node* trainer_container_of(const JobSpec& spec, train::Role role) {
  const std::optional<Node>& pod_template = pod_options(spec, role).pod_template;
  return pod_template ? trainer_container_in(*pod_template) : nullptr;
}

}  // namespace carrack::control
