// The addresses of services. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carrack::data {

struct ServiceUrl {
  std::string endpoint;  // http://HOST[:PORT] or https://HOST[:PORT]
  std::string target;    // path and query
  bool operator==(const ServiceUrl&) const = default;
};

// nullopt for a text that is no such URL.
std::optional<ServiceUrl> service_url_from(std::string_view text);

// The URL for error messages: the query is left out, as it may hold a secret.
std::string without_query(const ServiceUrl& url);

// What an endpoint consists of.
struct Server {
  bool tls = false;
  std::string host;  // a name, or an address without brackets
  std::string port;
  std::string name;  // HOST[:PORT] as in the endpoint
  bool operator==(const Server&) const = default;
};
// nullopt also for a URL with a path.
std::optional<Server> server_from(std::string_view endpoint);

// The target of a URL on the same server as `endpoint`; nullopt for another server, which must not get the credentials
// for this one.
std::optional<std::string> target_on_same_server(std::string_view endpoint, std::string_view url);

// True if no machine between here and there can read what is sent: https://, or http:// to this machine.
bool is_confidential(const std::string& endpoint);
// True for an address in 169.254.0.0/16, which no router forwards: machines' metadata servers have such. False for
// names.
bool is_link_local(const std::string& endpoint);

}  // namespace carrack::data
