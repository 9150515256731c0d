// Where a service is. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carrack::data {

struct ServiceUrl {
  std::string endpoint;  // http://HOST[:PORT] or https://HOST[:PORT].
  std::string target;    // Path and query.
  bool operator==(const ServiceUrl&) const = default;
};

// Throws Refused, the reason alone ("is no http:// or https:// address"), for what is none.
ServiceUrl service_url_from(std::string_view text);

// As errors show it: without the query, which may hold a secret.
std::string text_of(const ServiceUrl& url);

// What an endpoint says.
struct Server {
  bool tls = false;
  std::string host;  // A name or an address, without brackets.
  std::string port;
  std::string name;  // HOST[:PORT] as it was written.
  bool operator==(const Server&) const = default;
};
// Throws Refused, as above, also for what has a path.
Server server_from(std::string_view endpoint);

// What is asked for at an address of the same server; nothing if it is another's, to which no credentials may go.
std::optional<std::string> target_at(std::string_view endpoint, std::string_view address);

// Whether nobody on the way can read what is sent: https://, and http:// to this machine.
bool is_private(const std::string& endpoint);
// Whether it is an address that no router passes on, 169.254.0.0/16, as of machines' own metadata servers; a name that
// looks like one is none.
bool is_link_local(const std::string& endpoint);

}  // namespace carrack::data
