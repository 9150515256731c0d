// Where the API server is and what proves who we are, as a value: from a kubeconfig, or from the pod that we are in.
// Secrets stand in a Source, whose name is what messages show; neither its data nor its file's content ever is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carrack::control {

using EnvironmentMap = std::map<std::string, std::string>;

// Something that is given in place or as a file; neither: it is not given.
struct Source {
  std::string name;  // ~/.kube/config: cluster 'mine': certificate-authority-data
  std::string data;
  std::string file;
  bool given() const { return !data.empty() || !file.empty(); }
  bool operator==(const Source&) const = default;
};

// A program that prints credentials: https://kubernetes.io/docs/reference/access-authn-authz/authentication
struct ExecPlugin {
  std::string name;  // for messages: ~/.kube/config: user 'me': exec
  std::string api_version;
  std::string command;  // a path, or a name that is looked for in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // beside ours
  std::string install_hint;
  bool wants_cluster = false;  // to be told of the server
  bool operator==(const ExecPlugin&) const = default;
};

struct Access {
  std::string server;  // as it is written
  bool tls = true;
  std::string host;  // an IPv6 address without its brackets
  int port = 443;
  std::string prefix;           // before every path, for servers behind a proxy
  std::string tls_server_name;  // whom the certificate must name; empty: the host
  bool insecure = false;        // any certificate will do
  Source authority;             // not given: the machine's
  Source certificate, key, token;
  std::optional<ExecPlugin> exec;
  bool operator==(const Access&) const = default;
};

// Fills in what a URL says; what is wrong with it, else nothing.
std::string set_server(Access& access, const std::string& url);

// What KUBECONFIG names, where it is set; else, in a pod, its service account; else ~/.kube/config.
// Throws Error, which says what is missing where.
Access find_access(const EnvironmentMap& environment);

// Of a pod with these variables and, in this folder, these files.
constexpr const char* service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
Access pod_access(const EnvironmentMap& environment, const std::string& folder);

// The text of a Source, or "" where it is not given. Throws Error where the file cannot be read.
std::string content_of(const Source& source);

}  // namespace carrack::control
