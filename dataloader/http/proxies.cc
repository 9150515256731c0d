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

std::string in_small_letters(std::string text) {
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

// USER:PASSWORD@HOST:PORT, of which all but the host may be missing.
Proxy proxy_in(const std::string& variable, std::string text) {
  const std::string advice = "; write http://HOST:PORT or USER:PASSWORD@HOST:PORT";
  if (in_small_letters(text).starts_with("http://")) text.erase(0, std::string("http://").size());
  const std::string scheme = text.substr(0, text.find("://"));
  if (scheme != text &&
      in_small_letters(scheme).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == text.npos) {
    throw Refused(variable + ": names a " + scheme + ":// proxy, which is not supported" + advice);
  }
  if (text.ends_with('/')) text.pop_back();
  const std::size_t at = text.rfind('@');
  const std::string who = at == text.npos ? "" : text.substr(0, at);
  try {
    const std::string name = "http://" + (at == text.npos ? text : text.substr(at + 1));
    return {server_from(name), name, who.empty() ? "" : "Basic " + base64(percent_decoded(who))};
  } catch (const Refused&) {
    throw Refused(variable + ": is no address of a proxy" + advice);
  }
}

// Of IPv4 or IPv6; nothing for a name.
std::optional<std::vector<unsigned char>> address_in(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  for (const auto& [family, size] : {std::pair(AF_INET, 4), std::pair(AF_INET6, 16)}) {
    if (::inet_pton(family, text.c_str(), bytes.data()) == 1) return std::vector(bytes.begin(), bytes.begin() + size);
  }
  return std::nullopt;
}

// Of 10.0.0.0/8 and such.
bool is_in_network(const std::vector<unsigned char>& address, const std::string& network) {
  const std::size_t slash = network.find('/');
  const auto first = slash == network.npos ? std::nullopt : address_in(network.substr(0, slash));
  std::size_t bits = 0;
  const char* end = network.data() + network.size();
  if (!first || first->size() != address.size()) return false;
  if (std::from_chars(network.data() + slash + 1, end, bits).ptr != end || bits > 8 * address.size()) return false;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    if (((address[bit / 8] ^ (*first)[bit / 8]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

bool is_this_machine(const std::string& host) {
  const auto address = address_in(host);
  return host == "localhost" ||
         (address && (is_in_network(*address, "127.0.0.0/8") || is_in_network(*address, "::1/128")));
}

// As an item of NO_PROXY says: example.com and .example.com are that name and all that end so.
bool says_no(std::string item, const std::string& host, const std::string& port) {
  if (item == "*") return true;
  if (const auto address = address_in(host)) return address_in(item) == address || is_in_network(*address, item);
  if (const std::size_t colon = item.find(':'); colon != item.npos) {
    if (item.substr(colon + 1) != port) return false;
    item.erase(colon);
  }
  if (item.starts_with('.')) item.erase(0, 1);
  return !item.empty() && (host == item || host.ends_with("." + item));
}

std::vector<std::string> items_in(const std::string& list) {
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
  const std::string place = (is_ipv6 ? "[" + server.host + "]" : server.host) + ":" + server.port;
  HttpRequest request{.method = "CONNECT", .target = place};
  if (!proxy.authorization.empty()) request.headers.emplace_back("Proxy-Authorization", proxy.authorization);
  return head_of(request, place);
}

std::optional<ProxyRefusal> refusal_in(const std::string& head) {
  const std::optional<HttpReply> reply = reply_from(head);
  if (!reply) return ProxyRefusal{"what came is no HTTP"};
  if (reply->status / 100 == 2) return std::nullopt;
  const std::string said = "HTTP " + std::to_string(reply->status);
  if (reply->status != 407) return ProxyRefusal{said, !is_transient({.status = reply->status, .whole = true})};
  return ProxyRefusal{said + "; name who may use it in HTTPS_PROXY, as USER:PASSWORD@HOST:PORT", true};
}

Proxies::Proxies(const std::map<std::string, std::string>& environment) {
  // The first that is there and not empty.
  const auto told = [&](const std::string& small, const std::string& large) -> std::pair<std::string, std::string> {
    for (const std::string& name : {small, large}) {
      const auto found = environment.find(name);
      if (found != environment.end() && !found->second.empty()) return *found;
    }
    return {};
  };
  const auto [variable, proxy] = told("https_proxy", "HTTPS_PROXY");
  if (!proxy.empty()) https_ = proxy_in(variable, proxy);
  none_to_ = items_in(in_small_letters(told("no_proxy", "NO_PROXY").second));
}

std::optional<Proxy> Proxies::to(const Server& server) const {
  const std::string host = in_small_letters(server.host);
  if (!server.tls || is_this_machine(host)) return std::nullopt;
  const bool none = std::ranges::any_of(none_to_, [&](const auto& item) { return says_no(item, host, server.port); });
  return none ? std::nullopt : https_;
}

}  // namespace carrack::data
