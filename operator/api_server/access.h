// Finds the address of the API server and the credentials for it, in a kubeconfig or in the pod in which this process
// runs. Messages show the name of a SecretSource, never its data or the content of its file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carrack::control {

using EnvironmentMap = std::map<std::string, std::string>;

// A secret or certificate: its data, or the path of a file that contains it. If both are set, the file is used.
struct SecretSource {
  std::string name;  // for messages, such as: ~/.kube/config: cluster 'mine': certificate-authority-data
  std::string data;  // already decoded from base64
  std::string file;
  bool is_set() const { return !data.empty() || !file.empty(); }
  bool operator==(const SecretSource&) const = default;
};

// A program that prints credentials. See
// https://kubernetes.io/docs/reference/access-authn-authz/authentication
struct ExecPlugin {
  std::string name;  // for messages, such as: ~/.kube/config: user 'me': exec
  std::string api_version;
  std::string command;  // a path, or a name to look up in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // variables, added to this process's or in their place
  std::string install_hint;                                      // how to install the program; may be empty
  bool wants_cluster = false;  // the program gets the server's address and its certificate authority
  bool operator==(const ExecPlugin&) const = default;
};

// How to reach one API server, and as whom.
struct Access {
  std::string server;  // the URL as the user wrote it
  bool tls = true;
  std::string host;  // an IPv6 address without its brackets
  int port = 443;
  std::string prefix;           // the path of the URL, prepended to the path of every request; ends with no slash
  std::string tls_server_name;  // the name that the certificate must have; empty: the host
  bool insecure = false;        // any certificate of the server is accepted
  SecretSource authority;       // if it is not set, the machine's authorities are trusted
  SecretSource certificate, key, token;
  std::optional<ExecPlugin> exec;  // prints the token or certificate; the three above are then not set
  std::string name_space;          // the default namespace of commands; empty if none is set
  bool operator==(const Access&) const = default;
};

// The options with which a user chooses an access. An empty one was not given.
struct AccessChoice {
  std::string kubeconfig;  // --kubeconfig: a file, or several separated by ':'
  std::string context;     // --context
};

// Sets server, tls, host, port and prefix from the URL, and returns "". For a malformed URL it returns what is wrong,
// and these fields are unspecified.
std::string set_server(Access& access, const std::string& url);

// Returns the access in the files that the variable KUBECONFIG names, if it is not empty; otherwise that of the service
// account, if this process runs in a pod; otherwise that in ~/.kube/config. Files that do not exist are skipped. Throws
// Error with Blame::user if no file exists, or if one cannot be read or used; in a pod it throws as pod_access() does.
// Only the kubeconfig files are read, not the files of SecretSources.
Access find_access(const EnvironmentMap& environment);
// Like find_access(environment), but if `choice.kubeconfig` is given, only these files are searched. If
// `choice.context` is given, the service account is not used.
Access find_access(const EnvironmentMap& environment, const AccessChoice& choice);

// The folder in which Kubernetes mounts a pod's service account.
constexpr const char* service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
// Returns the access of a pod with this environment whose service account is mounted in `folder`. The token is not read
// yet. Throws Error: Blame::platform if the environment does not name the API server, Blame::user if `folder` has no
// token.
Access pod_access(const EnvironmentMap& environment, const std::string& folder);

// Returns the secret itself, or "" if the source is not set. Reads its file in each call. Throws Error with Blame::user
// if its file cannot be read.
std::string read_source(const SecretSource& source);

}  // namespace carrack::control
