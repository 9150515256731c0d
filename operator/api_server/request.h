// Requests to the API server and its replies, as values. Paths and queries are in plain text; to_target() alone encodes
// them. Pure.
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
  std::string content_type = "application/json";  // of the body; PATCH needs a type of its own
  std::string accept = "application/json";        // the type of the reply
  bool operator==(const ApiRequest&) const = default;
};

struct ApiReply {
  int status = 0;
  std::string body;
  std::optional<std::chrono::seconds> retry_after;
  bool operator==(const ApiReply&) const = default;
};

// The request target of HTTP, percent-encoded.
std::string to_target(const ApiRequest& request);

inline bool is_success(const ApiReply& reply) {
  return reply.status >= 200 && reply.status < 300;
}

// Why a request failed: the API server's Status object.
struct ApiStatus {
  std::string reason;   // for programs: NotFound, AlreadyExists, Conflict, Invalid, Expired, ...
  std::string message;  // for people
  bool operator==(const ApiStatus&) const = default;
};

// The failure in a reply that is not a success. A body that is not a Status, as proxies send, becomes the message. The
// message is printable.
ApiStatus status_of(const ApiReply& reply);

}  // namespace carrack::control
