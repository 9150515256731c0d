#include "operator/api_server/exec_credential.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "operator/api_server/base64.h"
#include "operator/codec/fields.h"

namespace carrack::control {
namespace {

Node text_node(const std::string& text) {
  return {text, 0};
}

// Returns the time in a text of RFC 3339, such as 2026-01-31T23:59:58.5+01:00, without the fraction of its second;
// nullopt for any other text.
std::optional<Time> rfc3339_time(const std::string& text) {
  constexpr std::size_t seconds_end = std::string_view("2026-01-31T23:59:58").size();
  const std::optional<Time> local = parse_time(text.substr(0, seconds_end) + "Z");
  std::string_view zone = std::string_view(text).substr(std::min(seconds_end, text.size()));
  if (zone.starts_with('.')) {
    const std::size_t digits_end = std::min(zone.find_first_not_of("0123456789", 1), zone.size());
    if (digits_end == 1) return std::nullopt;
    zone.remove_prefix(digits_end);
  }
  if (!local || zone == "Z") return local;
  if (!zone.starts_with('+') && !zone.starts_with('-')) return std::nullopt;
  const std::optional<Time> offset = parse_time("1970-01-01T" + std::string(zone.substr(1)) + ":00Z");
  if (!offset) return std::nullopt;
  return zone.starts_with('+') ? *local - offset->time_since_epoch() : *local + offset->time_since_epoch();
}

// A field that is null counts as missing, as for kubectl.
Node without_nulls(Node object) {
  if (auto* map = std::get_if<Node::Map>(&object.value)) {
    std::erase_if(*map, [](const Entry& entry) { return std::holds_alternative<std::monostate>(entry.node.value); });
  }
  return object;
}

struct Printed {
  std::string api_version, kind, token, certificate, key;
  std::optional<std::string> expiration;
};

// Reads the fields of an ExecCredential that matter here, and ignores all others.
void read_printed(const Node& root, const FieldPath& path, Printed& printed) {
  FieldReader fields(root, path);
  fields.required("apiVersion", printed.api_version);
  fields.required("kind", printed.kind);
  Node status;
  fields.required("status", status);
  if (!fields.has("status")) return;
  status = without_nulls(std::move(status));
  FieldReader inner(status, path.below("status"));
  inner.optional("token", printed.token);
  inner.optional("clientCertificateData", printed.certificate);
  inner.optional("clientKeyData", printed.key);
  inner.optional("expirationTimestamp", printed.expiration);
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
  const auto until = printed.expiration ? rfc3339_time(*printed.expiration) : std::nullopt;
  if (printed.expiration && !until) {
    return Problem{"output.status.expirationTimestamp",
                   "'" + *printed.expiration + "' is not a time such as 2026-01-31T23:59:58Z"};
  }
  return ExecCredential{{printed.token, printed.certificate, printed.key}, until};
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
