// Proxies: decides through which HTTP proxy a server is reached, from the environment variables HTTPS_PROXY and
// NO_PROXY or their lower-case forms. HTTP_PROXY is not used.
//
// NO_PROXY lists servers that are reached without a proxy, separated by commas or blanks: `*`, addresses, networks such
// as 10.0.0.0/8, and names, which include all names below them and may end with :PORT.
//
// A proxy gets a CONNECT request and then sees only encrypted bytes; the connection to the proxy itself has no TLS.
// Servers without TLS (emulators, metadata servers) and servers on this machine are always reached without a proxy.
// Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/http/service_url.h"

namespace carrack::data {

struct Proxy {
  Server server;              // the proxy itself; its `tls` is false
  std::string name;           // http://HOST[:PORT], for messages; without the password
  std::string authorization;  // the value of Proxy-Authorization, secret; empty: the header is not sent
  bool operator==(const Proxy&) const = default;
};

// Returns the text of the CONNECT request that makes the proxy connect to `server`.
std::string connect_request(const Proxy& proxy, const Server& server);

// Why a proxy did not connect.
struct ProxyRefusal {
  std::string reason;         // a message, which does not name the proxy
  bool is_permanent = false;  // The proxy will refuse the next request as well.
  bool operator==(const ProxyRefusal&) const = default;
};
// Parses the head of a proxy's reply to the CONNECT request, up to and with its blank line. Returns nullopt if the
// proxy has connected (a 2xx status), otherwise why it did not.
std::optional<ProxyRefusal> proxy_refusal(const std::string& head);

class Proxies {
 public:
  Proxies() = default;  // no proxy for any server
  // Takes the values of environment variables by name. An empty value counts as not set, and the lower-case variable
  // has precedence. Throws Refused for a malformed proxy; the message names the variable and shows no password.
  explicit Proxies(const std::map<std::string, std::string>& environment);

  // Returns the proxy that leads to the server; nullopt if the server is reached directly.
  std::optional<Proxy> proxy_for(const Server& server) const;

 private:
  std::optional<Proxy> https_;
  std::vector<std::string> exceptions_;  // the items of NO_PROXY, in lower case
};

}  // namespace carrack::data
