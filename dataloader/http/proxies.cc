#include "dataloader/http/proxies.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "dataloader/error.h"
#include "dataloader/http/message.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return text;
}

std::string percent_decoded(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* digits = text.data() + i + 1;
    const bool is_encoded =
        text[i] == '%' && text.size() - i > 2 && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    decoded += is_encoded ? static_cast<char>(byte) : text[i];
    if (is_encoded) i += 2;
  }
  return decoded;
}

// Parses [http://][USER:PASSWORD@]HOST[:PORT], the value of the environment variable `variable`.
Proxy proxy_from(const std::string& variable, std::string text) {
  const std::string advice = "; write http://HOST:PORT or USER:PASSWORD@HOST:PORT";
  if (lower_case(text).starts_with("http://")) text.erase(0, std::string("http://").size());
  const std::string scheme = text.substr(0, text.find("://"));
  if (scheme != text && lower_case(scheme).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == text.npos) {
    throw Refused(variable + ": names a " + scheme + ":// proxy, which is not supported" + advice);
  }
  if (text.ends_with('/')) text.pop_back();
  const std::size_t at = text.rfind('@');
  const std::string user = at == text.npos ? "" : text.substr(0, at);
  const std::string name = "http://" + (at == text.npos ? text : text.substr(at + 1));
  const std::optional<Server> server = server_from(name);
  if (!server) throw Refused(variable + ": is not the address of a proxy" + advice);
  return {*server, name, user.empty() ? "" : "Basic " + base64(percent_decoded(user))};
}

// Returns the bytes of an IPv4 or IPv6 address; nullopt for a name.
std::optional<std::vector<unsigned char>> address_from(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  for (const auto& [family, size] : {std::pair(AF_INET, 4), std::pair(AF_INET6, 16)}) {
    if (::inet_pton(family, text.c_str(), bytes.data()) == 1) return std::vector(bytes.begin(), bytes.begin() + size);
  }
  return std::nullopt;
}

// Returns whether the address is in the network, such as 10.0.0.0/8; false if `network` has another form.
bool is_in_network(const std::vector<unsigned char>& address, const std::string& network) {
  const std::size_t slash = network.find('/');
  if (slash == network.npos) return false;
  const auto first = address_from(network.substr(0, slash));
  const auto bits = number_in<std::size_t>(network.substr(slash + 1));
  if (!first || first->size() != address.size() || !bits || *bits > 8 * address.size()) return false;
  for (std::size_t bit = 0; bit < *bits; ++bit) {
    if (((address[bit / 8] ^ (*first)[bit / 8]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

bool is_this_machine(const std::string& host) {
  const auto address = address_from(host);
  return host == "localhost" ||
         (address && (is_in_network(*address, "127.0.0.0/8") || is_in_network(*address, "::1/128")));
}

// True if an item of NO_PROXY matches the server, which must then be reached without the proxy. The items example.com
// and .example.com both match example.com and all names below it.
bool matches_exception(std::string item, const std::string& host, const std::string& port) {
  if (item == "*") return true;
  if (const auto address = address_from(host)) return address_from(item) == address || is_in_network(*address, item);
  if (const std::size_t colon = item.find(':'); colon != item.npos) {
    if (item.substr(colon + 1) != port) return false;
    item.erase(colon);
  }
  if (item.starts_with('.')) item.erase(0, 1);
  return !item.empty() && (host == item || host.ends_with("." + item));
}

std::vector<std::string> split_items(const std::string& list) {
  std::vector<std::string> items(1);
  for (const char c : list) {
    if (c == ',' || c == ' ') {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  return items;
}

}  // namespace

std::string connect_request(const Proxy& proxy, const Server& server) {
  const bool is_ipv6 = server.host.find(':') != server.host.npos;
  const std::string target = (is_ipv6 ? "[" + server.host + "]" : server.host) + ":" + server.port;
  HttpRequest request{.method = "CONNECT", .target = target};
  if (!proxy.authorization.empty()) request.headers.emplace_back("Proxy-Authorization", proxy.authorization);
  return request_head(request, target);
}

std::optional<ProxyRefusal> proxy_refusal(const std::string& head) {
  const std::optional<HttpReply> reply = parse_reply_head(head);
  if (!reply) return ProxyRefusal{"the reply is not HTTP"};
  if (reply->status / 100 == 2) return std::nullopt;
  const std::string status = "HTTP " + std::to_string(reply->status);
  if (reply->status != 407) return ProxyRefusal{status, !is_transient({.status = reply->status, .is_complete = true})};
  return ProxyRefusal{status + "; name who may use it in HTTPS_PROXY, as USER:PASSWORD@HOST:PORT", true};
}

Proxies::Proxies(const std::map<std::string, std::string>& environment) {
  // Returns the first variable that is set and not empty, with its value; two empty texts if there is none.
  const auto find_variable = [&](const std::string& lower,
                                 const std::string& upper) -> std::pair<std::string, std::string> {
    for (const std::string& name : {lower, upper}) {
      const auto found = environment.find(name);
      if (found != environment.end() && !found->second.empty()) return *found;
    }
    return {};
  };
  const auto [variable, proxy] = find_variable("https_proxy", "HTTPS_PROXY");
  if (!proxy.empty()) https_ = proxy_from(variable, proxy);
  exceptions_ = split_items(lower_case(find_variable("no_proxy", "NO_PROXY").second));
}

std::optional<Proxy> Proxies::proxy_for(const Server& server) const {
  const std::string host = lower_case(server.host);
  if (!server.tls || is_this_machine(host)) return std::nullopt;
  const bool is_exception =
      std::ranges::any_of(exceptions_, [&](const auto& item) { return matches_exception(item, host, server.port); });
  return is_exception ? std::nullopt : https_;
}

}  // namespace carrack::data
