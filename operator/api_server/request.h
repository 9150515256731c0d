// What the API server is asked and what it answers, as values. Paths and queries stand here as documented, in plain
// text; target_of() is the one place that encodes them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carrack::control {

struct ApiRequest {
  std::string method = "GET";
  std::string path;  // /api/v1/namespaces/default/pods
  std::vector<std::pair<std::string, std::string>> query = {};
  std::string body = {};
  std::string content_type = "application/json";  // of the body; PATCH needs one of its own
  std::string accept = "application/json";        // what the reply is to be
  bool operator==(const ApiRequest&) const = default;
};

struct ApiReply {
  int status = 0;
  std::string body;
  std::optional<std::chrono::seconds> retry_after;
  bool operator==(const ApiReply&) const = default;
};

// Percent-encoded, as HTTP carries it.
std::string target_of(const ApiRequest& request);

inline bool is_success(const ApiReply& reply) {
  return reply.status >= 200 && reply.status < 300;
}

// Why a request failed: the API server's Status object.
struct ApiStatus {
  std::string reason;   // for programs: NotFound, AlreadyExists, Conflict, Invalid, Expired, ...
  std::string message;  // for people
  bool operator==(const ApiStatus&) const = default;
};

// Of a reply that is no success. A body that is no Status, as proxies send, becomes the message.
ApiStatus status_of(const ApiReply& reply);

}  // namespace carrack::control
