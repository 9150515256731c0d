// Finds the address of the API server and the credentials for it, in a kubeconfig or in the pod that this process runs
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
  std::vector<std::pair<std::string, std::string>> environment;  // names and values, added to this process's
  std::string install_hint;                                      // how to install the program; may be empty
  bool wants_cluster = false;  // pass the server's address and its certificate authority to the program
  bool operator==(const ExecPlugin&) const = default;
};

struct Access {
  std::string server;  // the URL as written
  bool tls = true;
  std::string host;  // an IPv6 address without its brackets
  int port = 443;
  std::string prefix;           // the path of the URL, put before the path of every request; ends with no slash
  std::string tls_server_name;  // the name that the certificate must have; empty means the host
  bool insecure = false;        // accept any certificate
  SecretSource authority;       // if not set, the machine's authorities are trusted
  SecretSource certificate, key, token;
  std::optional<ExecPlugin> exec;  // if set, it gives the token or certificate
  std::string name_space;          // the default namespace of commands; empty if none is set
  bool operator==(const Access&) const = default;
};

// The options with which a user chooses an access; empty means that the option was not given.
struct AccessChoice {
  std::string kubeconfig;  // --kubeconfig: a file, or several with ':' between them
  std::string context;     // --context
};

// Sets server, tls, host, port and prefix from the URL, and returns "". For a malformed URL it returns what is wrong
// with the URL, and leaves these fields unspecified.
std::string set_server(Access& access, const std::string& url);

// Uses the files that the variable KUBECONFIG names, if it is not empty; otherwise the service account, if this process
// runs in a pod; otherwise ~/.kube/config. Files that do not exist are skipped. Throws Error with Blame::user if no
// file exists or one cannot be used, and throws as pod_access() does.
Access find_access(const EnvironmentMap& environment);
// Does the same for a user's choice. `choice.kubeconfig` is used in place of all of these; with `choice.context` the
// service account is not used.
Access find_access(const EnvironmentMap& environment, const AccessChoice& choice);

// The folder in which Kubernetes mounts a pod's service account.
constexpr const char* service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
// Returns the access of a pod with this environment whose service account is mounted in `folder`. Reads no secret yet:
// read_source() does. Throws Error: Blame::platform if the environment does not name the API server, Blame::user if
// `folder` has no token.
Access pod_access(const EnvironmentMap& environment, const std::string& folder);

// Returns the data of a source, or "" if it is not set. Throws Error with Blame::user if its file cannot be read.
std::string read_source(const SecretSource& source);

}  // namespace carrack::control
