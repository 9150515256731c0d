// A bearer token for Google Cloud.
#pragma once

#include <chrono>
#include <string>

namespace carrack::data {

using Moment = std::chrono::sys_seconds;  // a time of the system clock, in whole seconds

struct Token {
  std::string text;                  // secret; sent as "Authorization: Bearer TEXT"
  std::chrono::seconds lifetime{0};  // from the time at which the token was requested
  bool operator==(const Token&) const = default;
};

// The scope of every token. What an account may do depends on its IAM roles, not on a narrower scope: Google's own C++
// client requests this one, and Cloud Storage accepts no other in a token that an account signs itself.
constexpr const char* cloud_platform = "https://www.googleapis.com/auth/cloud-platform";

}  // namespace carrack::data
