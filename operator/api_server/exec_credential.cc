#include "operator/api_server/exec_credential.h"

#include "operator/api_server/base64.h"
#include "operator/codec/fields.h"

namespace carrack::control {
namespace {

Node text_node(const std::string& text) {
  return {text, 0};
}

struct Printed {
  std::string api_version, kind, token, certificate, key;
  std::optional<Time> until;
};

// Reads the fields of an ExecCredential that matter here, and ignores all others.
void read_printed(const Node& root, const FieldPath& path, Printed& printed) {
  FieldReader fields(root, path);
  fields.required("apiVersion", printed.api_version);
  fields.required("kind", printed.kind);
  Node status;
  fields.required("status", status);
  if (!fields.has("status")) return;
  FieldReader inner(status, path.below("status"));
  inner.optional("token", printed.token);
  inner.optional("clientCertificateData", printed.certificate);
  inner.optional("clientKeyData", printed.key);
  inner.optional("expirationTimestamp", printed.until);
}

}  // namespace

std::variant<ExecCredential, Problem> exec_credential_from(std::string_view text, const std::string& api_version) {
  Parsed read = parse_json(text);
  if (const auto* problem = std::get_if<Problem>(&read)) return Problem{"output", problem->text};
  std::vector<Problem> problems;
  Printed printed;
  read_printed(std::get<Node>(read), {"output", &problems}, printed);
  if (!problems.empty()) return problems.front();
  if (printed.kind != "ExecCredential") return Problem{"output.kind", "must be ExecCredential"};
  if (printed.api_version != api_version) return Problem{"output.apiVersion", "must be " + api_version};
  if (printed.certificate.empty() != printed.key.empty()) {
    return Problem{"output.status", "clientCertificateData and clientKeyData belong together; one is missing"};
  }
  if (printed.token.empty() && printed.key.empty()) {
    return Problem{"output.status", "holds no token and no client certificate"};
  }
  return ExecCredential{{printed.token, printed.certificate, printed.key}, printed.until};
}

std::string exec_info(const Access& access, const std::string& authority) {
  Node::Map spec;
  if (access.exec->wants_cluster) {
    Node::Map cluster{{"server", text_node(access.server)}, {"insecure-skip-tls-verify", {access.insecure, 0}}};
    if (!access.tls_server_name.empty()) cluster.push_back({"tls-server-name", text_node(access.tls_server_name)});
    if (!authority.empty()) cluster.push_back({"certificate-authority-data", text_node(to_base64(authority))});
    spec.push_back({"cluster", {cluster, 0}});
  }
  spec.push_back({"interactive", {false, 0}});
  return to_json({Node::Map{{"apiVersion", text_node(access.exec->api_version)},
                            {"kind", text_node("ExecCredential")},
                            {"spec", {spec, 0}}},
                  0});
}

}  // namespace carrack::control
