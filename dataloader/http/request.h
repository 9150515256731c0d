// The types for HttpConnections::send(): an HTTP request, its reply, and the time limits of one try.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataloader/http/stop.h"

namespace carrack::data {

// The maximum size of HttpReply::body if the status is neither 200 nor 206: enough for an error message.
constexpr std::size_t error_body_bytes_max = std::size_t{64} << 10;

// The reply to one request. Check is_complete first: a request that failed also has an HttpReply.
struct HttpReply {
  int status = 0;  // 0: no reply came, and it is unknown whether the server carried out the request
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};      // empty if HttpRequest::receive gets it
  bool is_complete = false;   // false: the request ended before the whole body came
  std::string failure = {};   // if it is not complete: the reason, for messages
  bool is_permanent = false;  // It is not complete, and another try would fail in the same way.

  // Returns the header's value, or nullopt if there is no such header. Several headers of that name are joined by ", ".
  // The case of the name does not matter.
  std::optional<std::string> header(const std::string& name) const;
};

// Reads bytes of a body that have already arrived into `into`, without waiting. Returns the number of bytes; 0 if none
// has arrived yet, no more will come, or `into` is empty.
using ReadNow = std::function<std::size_t(std::span<std::byte> into)>;

// A request to the server of an HttpConnections, such as {.method = "GET", .target = "/b/o?alt=json"}.
struct HttpRequest {
  std::string method;
  std::string target;  // path and query, percent-encoded
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  // Streams the body of a 200 or 206 reply to the caller: called with each piece of it, on the thread that calls
  // send(). No piece is empty, and each is valid during the call; `head` has the status and headers. If it returns
  // false, the request ends, and the reply is not complete. If this is empty, the body is stored in HttpReply::body.
  std::function<bool(const HttpReply& head, std::span<const std::byte> piece)> receive = {};
  // An optional optimization of `receive`, which must then be set, too: saves a copy of the body. This callback calls
  // `read`, which is valid only during the call, to read the next bytes of the body from the connection straight into
  // memory of its choice. It is called repeatedly until the end of the body, on the same thread, but only for a
  // 200 or 206 reply with a Content-Length. Bytes that are already buffered are passed to `receive` instead, and so are
  // the next bytes after a call in which it did not call `read`.
  std::function<void(const HttpReply& head, const ReadNow& read)> receive_in_place = {};
  // The maximum size of a body that is not passed to `receive`, such as a page of a listing. A longer body ends the
  // request, and the reply is not complete. A body of a status other than 200 and 206 may have this size, too, although
  // only its first error_body_bytes_max bytes are stored.
  std::size_t body_bytes_max = std::size_t{64} << 20;
  Stop* stop = nullptr;  // lets another thread end the request, if not null; must live until send() returns
};

// The time limits of one try. Time that the callbacks of the request take counts towards `window` and `deadline`.
struct HttpTimeouts {
  std::chrono::milliseconds silence{60'000};  // the maximum time without a byte in either direction
  // The limit for each of: finding the addresses, connecting to one of them, the proxy's reply, and TLS.
  std::chrono::milliseconds connect{10'000};
  // The try also fails if fewer than `window_bytes_min` bytes were transferred in a `window`; see Pace.
  std::chrono::milliseconds window{60'000};
  std::uint64_t window_bytes_min = std::uint64_t{64} << 10;
  // A try that has not ended at this time fails, as does each try that begins after it. The default is no deadline.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::chrono::milliseconds idle{60'000};  // A connection that was idle for longer is not used for another request.
};

// Returns `timeout`, or the time from now until timeouts.deadline if that is shorter; never less than 0.
std::chrono::milliseconds until_deadline(const HttpTimeouts& timeouts, std::chrono::milliseconds timeout);

// Compares as names of headers are compared: only the case of ASCII letters is ignored.
bool equal_ignoring_case(std::string_view left, std::string_view right);

// True for 200 and 206 (a part, for a Range request): the body is the content that was requested.
bool is_content(int status);

// True if the same request may succeed later: the reply is not complete and not `is_permanent`, or its status is 408,
// 429, 500, 502, 503 or 504. So it is also true if `receive` or body_bytes_max ended the request.
bool is_transient(const HttpReply& reply);

// Returns the text with `...` in place of each occurrence of the secret, for error messages that quote a service. An
// empty secret changes nothing.
std::string redacted(const std::string& text, const std::string& secret);

}  // namespace carrack::data
