// Proxies: which proxy leads to a server. HTTPS_PROXY and NO_PROXY, or their lower-case forms, are read as curl and
// Google's libraries read them.
//
// A proxy gets a CONNECT request and sees only encrypted bytes. Servers without TLS (emulators, metadata servers) and
// servers on this machine are always reached without a proxy. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/http/service_url.h"

namespace carrack::data {

struct Proxy {
  Server server;
  std::string name;           // http://HOST:PORT
  std::string authorization;  // the value of Proxy-Authorization, secret; empty: the header is not sent
  bool operator==(const Proxy&) const = default;
};

// The head of the CONNECT request for a connection to `server`.
std::string connect_request(const Proxy& proxy, const Server& server);

struct ProxyRefusal {
  std::string reason;
  bool is_permanent = false;  // The proxy will refuse the next request as well.
  bool operator==(const ProxyRefusal&) const = default;
};
// Why the proxy did not connect, from the head of its reply; nullopt if it did.
std::optional<ProxyRefusal> proxy_refusal(const std::string& head);

class Proxies {
 public:
  Proxies() = default;  // No proxy for any server.
  // Where both are set, the lower-case variable counts. Throws Refused for a malformed address; the message names the
  // variable and shows no password.
  explicit Proxies(const std::map<std::string, std::string>& environment);

  // nullopt if the server is reached without a proxy.
  std::optional<Proxy> proxy_for(const Server& server) const;

 private:
  std::optional<Proxy> https_;
  std::vector<std::string> exceptions_;  // The items of NO_PROXY, in lower case.
};

}  // namespace carrack::data
