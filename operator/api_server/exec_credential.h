// The input and output of exec plugins: client.authentication.k8s.io/v1 and v1beta1. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "operator/api_server/access.h"
#include "operator/core/validate.h"
#include "operator/runtime/clock.h"

namespace carrack::control {

// The credentials of a connection and its requests. They are secret: no message may contain them.
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

// Decodes what a plugin has printed: an ExecCredential in JSON. It is a problem if it has another API version, or has
// neither a token nor a certificate with its key. Problem::field is a path that begins with "output".
std::variant<ExecCredential, Problem> exec_credential_from(std::string_view printed, const std::string& api_version);

// Returns the plugin's input, the value of the variable KUBERNETES_EXEC_INFO. access.exec must be set. `authority` is
// the PEM of the cluster's certificate authority, or empty; it is used only if access.exec->wants_cluster.
std::string exec_info(const Access& access, const std::string& authority);

}  // namespace carrack::control
