// Parses the URLs of HTTP services, such as a token service or an emulator of Google Cloud Storage. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carrack::data {

// https://host:8443/a/b?c is {"https://host:8443", "/a/b?c"}.
struct ServiceUrl {
  std::string endpoint;  // http://HOST[:PORT] or https://HOST[:PORT]
  std::string target;    // path and query, as written; begins with "/", and is "/" if the URL has neither
  bool operator==(const ServiceUrl&) const = default;
};

// Returns nullopt unless the text is an http:// or https:// URL without a user name, fragment, blank, control or
// non-ASCII character. The scheme must be in lower case. Does not decode or encode the target.
std::optional<ServiceUrl> service_url_from(std::string_view text);

// Returns the URL without its query, which may hold a secret, for error messages.
std::string without_query(const ServiceUrl& url);

// The parts of an endpoint (ServiceUrl::endpoint).
struct Server {
  bool tls = false;  // the endpoint is https://
  std::string host;  // a name, or an address without brackets
  std::string port;  // 80 or 443 if the endpoint has none
  std::string name;  // HOST[:PORT] as in the endpoint
  bool operator==(const Server&) const = default;
};
// Returns nullopt unless `endpoint` is http[s]://HOST[:PORT]. A URL with a path, even "/", is not an endpoint.
std::optional<Server> server_from(std::string_view endpoint);

// For a URL in a reply, such as a Location: returns its target if its scheme, host and port are those of `endpoint`.
// Returns nullopt for another server, which must not get the credentials for this one, and if either text is malformed.
std::optional<std::string> target_on_same_server(std::string_view endpoint, std::string_view url);

// True if secrets may be sent there, because no machine on the way to the server can read them: for https://, and for
// http:// to 127.0.0.1, localhost or [::1]. Here and below `endpoint` is as in ServiceUrl.
bool is_confidential(const std::string& endpoint);
// True if the host is an IPv4 address in 169.254.0.0/16, which no router forwards, such as the address of a metadata
// server. False for names and IPv6 addresses.
bool is_link_local(const std::string& endpoint);

}  // namespace carrack::data
