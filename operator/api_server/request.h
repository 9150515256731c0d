// HTTP requests to the Kubernetes API server and its replies, as plain data; Client (client.h) sends them. Paths and
// queries are not percent-encoded until to_target() encodes them. Pure.
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

// Returns the path and the query for the first line of the HTTP request, percent-encoded, such as
// /api/v1/pods?labelSelector=app%3Dx for the query {{"labelSelector", "app=x"}}.
std::string to_target(const ApiRequest& request);

inline bool is_success(const ApiReply& reply) {
  return reply.status >= 200 && reply.status < 300;
}

// Why a request failed: two fields of the metav1.Status that the API server sends as the body.
struct ApiStatus {
  std::string reason;   // one word for programs: NotFound, AlreadyExists, Conflict, Invalid, Expired, ...
  std::string message;  // a message for the user, printable and not empty
  bool operator==(const ApiStatus&) const = default;
};

// Returns why a reply that is not a success failed. If the body is not a Status, as from a proxy, the reason is empty
// and the message has the HTTP status and the first 200 bytes of the body, such as "HTTP 502: bad gateway".
ApiStatus status_of(const ApiReply& reply);

}  // namespace carrack::control
