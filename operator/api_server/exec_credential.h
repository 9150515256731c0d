// What programs that print credentials are told, and what they print: client.authentication.k8s.io/v1 and v1beta1.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "operator/api_server/access.h"
#include "operator/core/validate.h"
#include "operator/runtime/clock.h"

namespace carrack::control {

// What a connection and its requests carry. Secret.
struct Identity {
  std::string token;             // empty: none
  std::string certificate, key;  // PEM; empty: none
  bool operator==(const Identity&) const = default;
};

struct ExecCredential {
  Identity identity;
  std::optional<Moment> until;  // not given: as long as the server takes it
  bool operator==(const ExecCredential&) const = default;
};

// What the program printed, decoded; a Problem's field is a path in it.
std::variant<ExecCredential, Problem> exec_credential_from(std::string_view printed, const std::string& api_version);

// KUBERNETES_EXEC_INFO.
std::string exec_info(const Access& access, const std::string& authority);

}  // namespace carrack::control
