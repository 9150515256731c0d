// Finds out which Kubernetes API server to connect to and with which credentials, from a kubeconfig or from the service
// account of the pod in which this process runs. `carrack-operator` and `carrack explain`, `logs` and `top` call
// find_access() once and pass the result to Credentials (credentials.h). Messages show the name or the file of a
// SecretSource, never the secret itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carrack::control {

using EnvironmentMap = std::map<std::string, std::string>;

// Where one secret or certificate is: in `data`, or in a file that read_source() reads. If both are set, the file is
// used. If neither is set, there is no such secret.
struct SecretSource {
  std::string name;  // for messages, such as: ~/.kube/config: cluster 'mine': certificate-authority-data
  std::string data;  // the secret itself; already decoded where the kubeconfig has base64
  std::string file;
  bool is_set() const { return !data.empty() || !file.empty(); }
  bool operator==(const SecretSource&) const = default;
};

// A credential plugin: a program that prints credentials, such as gke-gcloud-auth-plugin. It is users[].user.exec of a
// kubeconfig. See https://kubernetes.io/docs/reference/access-authn-authz/authentication
struct ExecPlugin {
  std::string name;         // for messages, such as: ~/.kube/config: user 'me': exec
  std::string api_version;  // client.authentication.k8s.io/v1 or v1beta1
  std::string command;      // a path, or a name to look up in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // variables, added to this process's or in their place
  std::string install_hint;                                      // how to install the program; may be empty
  bool wants_cluster = false;  // the program gets the server's address and CA certificate
  bool operator==(const ExecPlugin&) const = default;
};

// How to connect to one API server, and as which user; rest.Config in client-go.
struct Access {
  std::string server;  // the URL as the user wrote it
  bool tls = true;     // false: plain HTTP
  std::string host;    // an IPv6 address without its brackets
  int port = 443;
  std::string prefix;           // the path of the URL, prepended to the path of every request; ends with no slash
  std::string tls_server_name;  // the name that the certificate must have; empty: the host
  bool insecure = false;        // any certificate of the server is accepted
  SecretSource authority;       // CA certificates in PEM; if it is not set, the machine's own are trusted
  // Of the client: its certificate and key in PEM, and its bearer token.
  SecretSource certificate, key, token;
  std::optional<ExecPlugin> exec;  // prints the token or certificate; the three above are then not set
  std::string name_space;          // the default namespace of commands; empty if none is set
  bool operator==(const Access&) const = default;
};

// The options with which a user of `carrack` chooses a cluster. Empty: not typed.
struct AccessChoice {
  std::string kubeconfig;  // --kubeconfig: a file, or several separated by ':'
  std::string context;     // --context
};

// Sets server, tls, host, port and prefix from the URL, such as https://[::1]:6443/k8s, and returns "". For a malformed
// URL it returns what is wrong, as a message for the user, and these fields are unspecified.
std::string set_server(Access& access, const std::string& url);

// Returns the first of these that applies to the variables in `environment`:
// 1. the access in the files that KUBECONFIG names, if it is not empty. Files that do not exist are skipped;
// 2. pod_access(), if this process runs in a pod (KUBERNETES_SERVICE_HOST is set);
// 3. the access in ~/.kube/config.
// Throws Error with Blame::user if no kubeconfig exists, or if one cannot be read or used; otherwise throws as
// pod_access() does. The files of SecretSources are not read yet.
Access find_access(const EnvironmentMap& environment);
// Like find_access(environment), but `choice.kubeconfig`, if it is not empty, replaces KUBECONFIG. If `choice.context`
// is not empty, the access is that of this context, and case 2 is skipped.
Access find_access(const EnvironmentMap& environment, const AccessChoice& choice);

// The folder in which Kubernetes mounts a pod's service account.
constexpr const char* service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";
// Returns the access of a pod with this environment whose service account is mounted in `folder`. Reads the namespace,
// but not the token yet. Throws Error: Blame::platform if the environment does not name the API server, Blame::user if
// `folder` has no token or the namespace cannot be read.
Access pod_access(const EnvironmentMap& environment, const std::string& folder);

// Returns the secret itself; "" if the source is not set. Reads the file again in each call. Throws Error with
// Blame::user if the file cannot be read.
std::string read_source(const SecretSource& source);

}  // namespace carrack::control
