// Parses the URLs of HTTP services. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carrack::data {

struct ServiceUrl {
  std::string endpoint;  // http://HOST[:PORT] or https://HOST[:PORT]
  std::string target;    // path and query; at least "/"
  bool operator==(const ServiceUrl&) const = default;
};

// Returns nullopt unless the text is an http:// or https:// URL without a user name, fragment, blank or non-ASCII
// character. Does not decode or encode the target.
std::optional<ServiceUrl> service_url_from(std::string_view text);

// Returns the URL for error messages: without its query, which may hold a secret.
std::string without_query(const ServiceUrl& url);

// The parts of an endpoint.
struct Server {
  bool tls = false;
  std::string host;  // a name, or an address without brackets
  std::string port;  // 80 or 443 if the endpoint has none
  std::string name;  // HOST[:PORT] as in the endpoint
  bool operator==(const Server&) const = default;
};
// Returns nullopt unless `endpoint` is http[s]://HOST[:PORT]; so also for a URL with a path, even "/".
std::optional<Server> server_from(std::string_view endpoint);

// Returns the target of `url` if it is on the same server as `endpoint`. Returns nullopt for another server, which must
// not get the credentials for this one, and for a text that is not a URL.
std::optional<std::string> target_on_same_server(std::string_view endpoint, std::string_view url);

// True if no machine on the way to the server can read what is sent: for https://, or http:// to this machine.
bool is_confidential(const std::string& endpoint);
// True for an address in 169.254.0.0/16, which no router forwards: that of a metadata server, for example. False for
// names.
bool is_link_local(const std::string& endpoint);

}  // namespace carrack::data
