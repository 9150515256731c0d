// A bearer token for Google Cloud.
#pragma once

#include <chrono>
#include <string>

namespace carrack::data {

using Moment = std::chrono::sys_seconds;

struct Token {
  std::string text;                  // Secret.
  std::chrono::seconds lifetime{0};  // From the moment at which it was asked for.
  bool operator==(const Token&) const = default;
};

// What every token is for; what an account may do is said by IAM, not by a narrower scope: Google's own client for C++
// asks for this one, and Cloud Storage took no other in a token that an account signs itself.
constexpr const char* cloud_platform = "https://www.googleapis.com/auth/cloud-platform";

}  // namespace carrack::data
