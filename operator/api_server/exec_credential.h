// Composes the input of a credential plugin (users[].user.exec of a kubeconfig) and decodes its output. Both are JSON
// objects of kind ExecCredential, of client.authentication.k8s.io/v1 or v1beta1. run_plugin() runs the program. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "operator/api_server/access.h"
#include "operator/core/validate.h"
#include "operator/runtime/clock.h"

namespace carrack::control {

// The credentials that a connection and its requests send, from a plugin or from files. They are secret: no message may
// contain them.
struct Identity {
  std::string token;             // the bearer token; empty: none
  std::string certificate, key;  // PEM; empty: none
  bool operator==(const Identity&) const = default;
};

struct ExecCredential {
  Identity identity;
  std::optional<Moment> until;  // nullopt: valid until the server refuses it
  bool operator==(const ExecCredential&) const = default;
};

// Decodes what a plugin has printed. Returns a Problem if that is not an ExecCredential in JSON of the version
// `api_version`, or has neither a token nor a certificate, or lacks one of certificate and key. Unknown fields, and
// fields of its status that are null, are ignored. Problem::field is a path that begins with "output", such as
// output.status.
std::variant<ExecCredential, Problem> exec_credential_from(std::string_view printed, const std::string& api_version);

// Returns the plugin's input, the value of its environment variable KUBERNETES_EXEC_INFO. access.exec must be set.
// `authority` is the PEM of the cluster's CA certificate, or empty; it is used only if access.exec->wants_cluster.
std::string exec_info(const Access& access, const std::string& authority);

}  // namespace carrack::control
