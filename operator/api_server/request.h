// Requests to the API server and its replies, as values. Paths and queries are in plain text until to_target() encodes
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
  std::string path;                                             // such as /api/v1/namespaces/default/pods
  std::vector<std::pair<std::string, std::string>> query = {};  // names and values, in the order in which they are sent
  std::string body = {};
  std::string content_type = "application/json";  // the type of the body; a PATCH needs another one
  std::string accept = "application/json";        // the type that the reply shall have
  bool operator==(const ApiRequest&) const = default;
};

struct ApiReply {
  int status = 0;  // the HTTP status; 0 if a stream was stopped before the status came
  std::string body;
  std::optional<std::chrono::seconds> retry_after;  // nullopt if the reply has none, or gives it as a date
  bool operator==(const ApiReply&) const = default;
};

// Returns the request target of HTTP: the path and the query, percent-encoded.
std::string to_target(const ApiRequest& request);

inline bool is_success(const ApiReply& reply) {
  return reply.status >= 200 && reply.status < 300;
}

// Why a request failed, from the API server's Status object.
struct ApiStatus {
  std::string reason;   // one word for programs: NotFound, AlreadyExists, Conflict, Invalid, Expired, ...
  std::string message;  // a message for the user, printable and not empty
  bool operator==(const ApiStatus&) const = default;
};

// Returns the failure in a reply that is not a success. If the body is not a Status, as from a proxy, the reason is
// empty and the message has the HTTP status and the first 200 bytes of the body.
ApiStatus status_of(const ApiReply& reply);

}  // namespace carrack::control
