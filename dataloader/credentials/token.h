// An OAuth access token for Google Cloud: the type that all of credentials/ returns and caches.
#pragma once

#include <chrono>
#include <string>

namespace carrack::data {

using Moment = std::chrono::sys_seconds;  // a time of the system clock, in whole seconds

struct Token {
  std::string text;                  // secret; sent as "Authorization: Bearer TEXT"
  std::chrono::seconds lifetime{0};  // how long it is valid, from the time at which it was requested
  bool operator==(const Token&) const = default;
};

// The OAuth scope that every token is requested with. What an account may do depends on its IAM roles, not on a
// narrower scope: Google's own C++ client requests this one, and Cloud Storage accepts no other in a token that an
// account signs itself.
constexpr const char* cloud_platform_scope = "https://www.googleapis.com/auth/cloud-platform";

}  // namespace carrack::data
