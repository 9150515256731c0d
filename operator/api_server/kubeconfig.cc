#include "operator/api_server/kubeconfig.h"

#include <algorithm>
#include <filesystem>

#include "operator/api_server/base64.h"
#include "operator/codec/node.h"

namespace carrack::control {
namespace {

// Thrown at the first problem in a kubeconfig. access_from() catches it and returns the problem.
struct Refused {
  Problem problem;
};

struct File {
  std::string path;
  Node root;
};

// A cluster, a user or a context, with its name for messages.
struct Item {
  const File& file;
  const Node& node;
  std::string name;  // such as: cluster 'mine'

  [[noreturn]] void refuse(const std::string& what) const { throw Refused{{file.path, name + ": " + what}}; }

  bool has(std::string_view field) const { return child(node, field) != nullptr; }

  template <class Value>
  Value value_of(const std::string& field, std::string_view shape) const {
    const Node* found = child(node, field);
    if (!found || std::holds_alternative<std::monostate>(found->value)) return {};
    if (const auto* value = std::get_if<Value>(&found->value)) return *value;
    refuse(field + " must be " + std::string(shape));
  }
  std::string text(const std::string& field) const { return value_of<std::string>(field, "text"); }
  bool flag(const std::string& field) const { return value_of<bool>(field, "true or false"); }
  Node::List list(const std::string& field) const { return value_of<Node::List>(field, "a list"); }

  // Resolves a path that this file names, relative to its own folder.
  std::string path(const std::string& relative) const {
    return relative.empty() ? "" : (std::filesystem::path(file.path).parent_path() / relative).string();
  }

  // Returns the data in FIELD-data if it is not empty, or else the file that FIELD names.
  SecretSource source(const std::string& field) const {
    const std::string encoded = text(field + "-data");
    const std::optional<std::string> data = from_base64(encoded);
    if (!data) refuse(field + "-data is not base64");
    if (!data->empty()) return {file.path + ": " + name + ": " + field + "-data", *data, ""};
    return {file.path + ": " + name + ": " + field, "", path(text(field))};
  }
};

std::vector<File> parsed(std::span<const KubeconfigText> texts) {
  std::vector<File> files;
  for (const KubeconfigText& text : texts) {
    if (text.text.find_first_not_of(" \t\r\n") == std::string::npos) continue;  // kubectl ignores empty files, too
    Parsed read = parse_yaml(text.text);
    if (const auto* problem = std::get_if<Problem>(&read)) throw Refused{{text.path, problem->text}};
    files.push_back({text.path, std::get<Node>(std::move(read))});
  }
  return files;
}

// Returns the first entry with this name in any file. `kind` is cluster, user or context. If no file has the entry,
// throws Refused with a message that `named_by`, such as --context, names a missing entry.
Item find(const std::vector<File>& files, const std::string& kind, const std::string& name,
          const std::string& named_by) {
  for (const File& file : files) {
    const Item root{file, file.root, "the file"};
    const Node* list = child(file.root, kind + "s");
    if (!list || !std::holds_alternative<Node::List>(list->value)) continue;
    for (const Node& entry : std::get<Node::List>(list->value)) {
      const Node* named = child(entry, "name");
      const Node* found = child(entry, kind);
      if (named && found && named->value == decltype(named->value)(name)) {
        return {file, *found, kind + " '" + name + "'"};
      }
    }
  }
  throw Refused{{files.front().path, named_by + " names " + kind + " '" + name + "', which does not exist"}};
}

// Returns the context `chosen` or, if that is empty, the current-context of the first file that has one.
Item context_of(const std::vector<File>& files, const std::string& chosen) {
  if (!chosen.empty()) return find(files, "context", chosen, "--context");
  for (const File& file : files) {
    const std::string name = Item{file, file.root, "the file"}.text("current-context");
    if (!name.empty()) return find(files, "context", name, "current-context");
  }
  throw Refused{{files.front().path, "current-context is not set; choose one with `kubectl config use-context NAME`"}};
}

void read_cluster(const Item& cluster, Access& access) {
  const std::string problem = set_server(access, cluster.text("server"));
  if (!problem.empty()) cluster.refuse("server " + problem);
  if (!cluster.text("proxy-url").empty())
    cluster.refuse("proxy-url is not supported; give an address that needs no proxy");
  access.tls_server_name = cluster.text("tls-server-name");
  access.insecure = cluster.flag("insecure-skip-tls-verify");
  access.authority = cluster.source("certificate-authority");
  if (access.insecure && access.authority.is_set()) {
    cluster.refuse("insecure-skip-tls-verify and certificate-authority exclude each other; remove one");
  }
}

ExecPlugin plugin_of(const Item& user) {
  const Item exec{user.file, *child(user.node, "exec"), user.name + ": exec"};
  ExecPlugin plugin;
  plugin.name = exec.file.path + ": " + exec.name;
  plugin.api_version = exec.text("apiVersion");
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    exec.refuse("apiVersion '" + plugin.api_version +
                "' is not supported; client.authentication.k8s.io/v1 and v1beta1 are");
  }
  if (exec.text("interactiveMode") == "Always")
    exec.refuse("interactiveMode Always needs a terminal, and there is none");
  plugin.command = exec.text("command");
  if (plugin.command.empty()) exec.refuse("command is missing");
  // A command with a slash is a path relative to this file. Any other is looked up in PATH.
  if (plugin.command.find('/') != std::string::npos) plugin.command = exec.path(plugin.command);
  for (const Node& argument : exec.list("args")) {
    const auto* text = std::get_if<std::string>(&argument.value);
    if (!text) exec.refuse("args must be texts; put numbers in quotes");
    plugin.arguments.push_back(*text);
  }
  for (const Node& variable : exec.list("env")) {
    const Item pair{exec.file, variable, exec.name + ": env"};
    plugin.environment.emplace_back(pair.text("name"), pair.text("value"));
  }
  plugin.install_hint = exec.text("installHint");
  plugin.wants_cluster = exec.flag("provideClusterInfo");
  return plugin;
}

void read_user(const Item& user, Access& access) {
  const std::string instead = " is not supported; use exec, a token or a client certificate";
  for (const std::string field : {"auth-provider", "username", "password"}) {
    if (user.has(field)) user.refuse(field + instead);
  }
  for (const std::string field : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    if (user.has(field)) user.refuse(field + " is not supported: nobody is impersonated; use a user of its own");
  }
  access.certificate = user.source("client-certificate");
  access.key = user.source("client-key");
  if (access.certificate.is_set() != access.key.is_set()) {
    user.refuse("client-certificate and client-key belong together; one is missing");
  }
  const std::string named = user.file.path + ": " + user.name + ": token";
  const std::string file = user.path(user.text("tokenFile"));
  access.token = file.empty() ? SecretSource{named, user.text("token"), ""} : SecretSource{named, "", file};
  if (!user.has("exec")) return;
  if (access.token.is_set() || access.certificate.is_set()) {
    user.refuse("has exec besides a token or a client certificate; keep one of them");
  }
  access.exec = plugin_of(user);
}

// Refuses a cluster with the extension that kubectl would pass to the plugin, as the plugin may not work without it.
void refuse_extension(const Item& cluster, const Access& access) {
  if (!access.exec || !access.exec->wants_cluster) return;
  for (const Node& extension : cluster.list("extensions")) {
    const std::string name = Item{cluster.file, extension, cluster.name + ": extensions"}.text("name");
    if (name == "client.authentication.k8s.io/exec") {
      cluster.refuse("extension " + name + " is not supported; use a plugin that needs none");
    }
  }
}

}  // namespace

std::variant<Access, Problem> access_from(std::span<const KubeconfigText> texts, const std::string& chosen) {
  try {
    const std::vector<File> files = parsed(texts);
    if (files.empty()) return Problem{texts.empty() ? "KUBECONFIG" : texts.front().path, "is empty"};
    const Item context = context_of(files, chosen);
    Access access;
    access.name_space = context.text("namespace");
    const Item cluster = find(files, "cluster", context.text("cluster"), context.name);
    read_cluster(cluster, access);
    // A context may have no user, as kubectl allows.
    const std::string user = context.text("user");
    if (!user.empty()) read_user(find(files, "user", user, context.name), access);
    refuse_extension(cluster, access);
    return access;
  } catch (const Refused& refused) {
    return refused.problem;
  }
}

}  // namespace carrack::control
