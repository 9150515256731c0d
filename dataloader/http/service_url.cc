#include "dataloader/http/service_url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "dataloader/text.h"

namespace carrack::data {
namespace {

constexpr std::string_view name_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
constexpr std::string_view address_characters = "0123456789abcdefABCDEF:.";

bool is_port(std::string_view text) {
  const std::optional<int> port = number_in<int>(text);
  return port > 0 && port < 65536;
}

bool is_host(std::string_view text) {
  const bool bracketed = text.starts_with('[') && text.ends_with(']') && text.size() > 2;
  if (bracketed) text = text.substr(1, text.size() - 2);
  return !text.empty() && text.find_first_not_of(bracketed ? address_characters : name_characters) == text.npos;
}

// Returns the position of the colon before the port; npos if there is no port. The colons of an IPv6 address in
// brackets do not count.
std::size_t port_colon_in(std::string_view authority) {
  return authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
}

bool is_authority(std::string_view text) {
  const std::size_t colon = port_colon_in(text);
  return is_host(text.substr(0, colon)) && (colon == text.npos || is_port(text.substr(colon + 1)));
}

// Blanks and control characters are refused, because they could end the first line of a request.
bool is_target(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127 && c != '#'; });
}

}  // namespace

std::optional<ServiceUrl> service_url_from(std::string_view text) {
  const bool known = text.starts_with("http://") || text.starts_with("https://");
  const std::size_t host = known ? text.find("://") + 3 : 0;
  const std::size_t end = std::min(text.find_first_of("/?", host), text.size());
  const std::string_view target = text.substr(end);
  if (!known || !is_authority(text.substr(host, end - host)) || !is_target(target)) return std::nullopt;
  return ServiceUrl{std::string(text.substr(0, end)), (target.starts_with('/') ? "" : "/") + std::string(target)};
}

std::string without_query(const ServiceUrl& url) {
  return url.endpoint + url.target.substr(0, url.target.find('?'));
}

std::optional<Server> server_from(std::string_view endpoint) {
  const std::optional<ServiceUrl> url = service_url_from(endpoint);
  if (!url || url->endpoint != endpoint) return std::nullopt;
  const bool tls = endpoint.starts_with("https://");
  const std::string_view name = endpoint.substr(endpoint.find("://") + 3);
  const std::size_t colon = port_colon_in(name);
  std::string_view host = name.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  const std::string_view port = colon != name.npos ? name.substr(colon + 1) : tls ? "443" : "80";
  return Server{tls, std::string(host), std::string(port), std::string(name)};
}

std::optional<std::string> target_on_same_server(std::string_view endpoint, std::string_view url) {
  const std::optional<ServiceUrl> parsed = service_url_from(url);
  const std::optional<Server> theirs = parsed ? server_from(parsed->endpoint) : std::nullopt;
  const std::optional<Server> ours = server_from(endpoint);
  if (!theirs || !ours) return std::nullopt;
  const bool same = std::tie(theirs->tls, theirs->host, theirs->port) == std::tie(ours->tls, ours->host, ours->port);
  return same ? std::optional(parsed->target) : std::nullopt;
}

bool is_confidential(const std::string& endpoint) {
  if (endpoint.starts_with("https://")) return true;
  const std::vector<std::string> this_machine{"http://127.0.0.1", "http://localhost", "http://[::1]"};
  return std::any_of(this_machine.begin(), this_machine.end(),
                     [&](const std::string& host) { return endpoint == host || endpoint.starts_with(host + ":"); });
}

bool is_link_local(const std::string& endpoint) {
  in_addr address{};
  const std::optional<Server> server = server_from(endpoint);
  if (!server || ::inet_pton(AF_INET, server->host.c_str(), &address) != 1) return false;
  return ntohl(address.s_addr) >> 16 == (169u << 8 | 254u);
}

}  // namespace carrack::data
