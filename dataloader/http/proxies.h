// Which proxy leads to a server: HTTPS_PROXY and NO_PROXY, or the same in small letters, as curl and Google's libraries
// read them. A proxy is asked to connect (CONNECT), and sees only what is encrypted; so servers without TLS, emulators
// and metadata servers, are reached without one. Pure.
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
  std::string authorization;  // Of a header, secret; empty: none.
  bool operator==(const Proxy&) const = default;
};

// What it is asked, and why what it answered is no connection; nothing where it is one.
std::string connect_request(const Proxy& proxy, const Server& server);
struct ProxyRefusal {
  std::string why;
  bool hopeless = false;  // It will say the same again.
  bool operator==(const ProxyRefusal&) const = default;
};
std::optional<ProxyRefusal> refusal_in(const std::string& head);

class Proxies {
 public:
  Proxies() = default;  // None.
  // Throws Refused, which names the variable and shows no password.
  explicit Proxies(const std::map<std::string, std::string>& environment);

  // Nothing where none is to be used.
  std::optional<Proxy> to(const Server& server) const;

 private:
  std::optional<Proxy> https_;
  std::vector<std::string> none_to_;  // Names, ends of names, addresses and networks, in small letters.
};

}  // namespace carrack::data
