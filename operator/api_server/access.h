// The address of the API server and the credentials for it, from a kubeconfig or from the pod that this process runs
// in. Messages show the name of a SecretSource, never its data or the content of its file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carrack::control {

using EnvironmentMap = std::map<std::string, std::string>;

// A secret or certificate, given as data or as the path of a file. If both are set, the file is read.
struct SecretSource {
  std::string name;  // for messages, such as: ~/.kube/config: cluster 'mine': certificate-authority-data
  std::string data;  // already decoded from base64
  std::string file;
  bool is_set() const { return !data.empty() || !file.empty(); }
  bool operator==(const SecretSource&) const = default;
};

// A program that prints credentials, see
// https://kubernetes.io/docs/reference/access-authn-authz/authentication
struct ExecPlugin {
  std::string name;  // for messages, such as: ~/.kube/config: user 'me': exec
  std::string api_version;
  std::string command;  // a path, or a name to look up in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to that of this process
  std::string install_hint;
  bool wants_cluster = false;  // pass the server's address and its certificate authority to the program
  bool operator==(const ExecPlugin&) const = default;
};

struct Access {
  std::string server;  // the URL as written
  bool tls = true;
  std::string host;  // an IPv6 address without its brackets
  int port = 443;
  std::string prefix;           // put before every path, for servers behind a proxy
  std::string tls_server_name;  // the name that the certificate must have; empty means the host
  bool insecure = false;        // accept any certificate
  SecretSource authority;       // not set means those of the machine
  SecretSource certificate, key, token;
  std::optional<ExecPlugin> exec;
  std::string name_space;  // which commands use unless their user names one; empty if none is set
  bool operator==(const Access&) const = default;
};

// What the user of a command chooses of a kubeconfig; empty means as without the option.
struct AccessChoice {
  std::string kubeconfig;  // --kubeconfig
  std::string context;     // --context
};

// Sets server, tls, host, port and prefix from the URL, and returns "". For a malformed URL returns what is wrong with
// it, and these fields are unspecified.
std::string set_server(Access& access, const std::string& url);

// Uses the files that KUBECONFIG names, if that is set and not empty; otherwise the service account, if this process
// runs in a pod; otherwise ~/.kube/config. Files that do not exist are skipped. Throws Error if no file is left, if one
// cannot be used, or as pod_access() does.
Access find_access(const EnvironmentMap& environment);
// The same for a command with such options. A kubeconfig or context that is chosen comes before all else.
Access find_access(const EnvironmentMap& environment, const AccessChoice& choice);

// The folder in which Kubernetes mounts a pod's service account.
constexpr const char* service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
// The access of a pod with this environment whose service account is mounted in `folder`. Reads no secret yet:
// read_source() does. Throws Error if the environment names no API server, or if `folder` has no token.
Access pod_access(const EnvironmentMap& environment, const std::string& folder);

// The data of a source, or "" if it is not set. Throws Error if its file cannot be read.
std::string read_source(const SecretSource& source);

}  // namespace carrack::control
