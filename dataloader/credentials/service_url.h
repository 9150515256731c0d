// Where a token service is asked. Pure.
#pragma once

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

}  // namespace carrack::data
