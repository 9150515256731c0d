// An HTTP request, its reply, and the limits of one try. Pure.
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

// How much of the body of a reply that is no success is stored: enough for its message.
constexpr std::size_t error_body_bytes_max = std::size_t{64} << 10;

struct HttpReply {
  int status = 0;  // 0: no reply came, and it is unknown whether the server carried out the request.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  bool is_complete = false;   // false: the request ended before the end of the body
  std::string failure = {};   // why it is not complete, for messages
  bool is_permanent = false;  // It is not complete, and another try would fail in the same way.

  // The header's value; several headers of that name are joined by ", ". The case of the name does not matter.
  std::optional<std::string> header(const std::string& name) const;
};

// Reads bytes of a body that have already arrived into `into`, without waiting. Returns how many; 0 if there are none
// yet, or no more.
using ReadNow = std::function<std::size_t(std::span<std::byte> into)>;

struct HttpRequest {
  std::string method;
  std::string target;  // path and query, percent-encoded
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  // Gets the body of a 200 or 206 reply piece by piece, together with the reply's head. Returning false ends the
  // request; its reply is then not complete. None: the body goes to HttpReply::body.
  std::function<bool(const HttpReply& head, std::span<const std::byte> piece)> receive = {};
  // Optional, only together with `receive`: may call `read` to store the next bytes of such a body without another
  // copy. If the reply has a Content-Length, it is called again and again until the end of the body; bytes that it does
  // not read are passed to `receive`. It is not called for other replies.
  std::function<void(const HttpReply& head, const ReadNow& read)> receive_in_place = {};
  // The limit of a body that is not passed to `receive`. A longer one ends the request, and the reply is not complete.
  // The longest are pages of a listing. If the status is neither 200 nor 206, HttpReply::body has only the first
  // error_body_bytes_max of the body, and the reply can be complete nevertheless.
  std::size_t body_bytes_max = std::size_t{64} << 20;
  Stop* stop = nullptr;  // Lets another thread end the request; must outlive it.
};

// Limits of one try. Time that HttpRequest::receive takes counts as well.
struct HttpTimeouts {
  std::chrono::milliseconds silence{60'000};  // The longest time without a byte in either direction.
  std::chrono::milliseconds connect{10'000};  // For finding the server's address, and again for connecting to it.
  // The try also fails if less than `window_bytes_min` went over in a `window`.
  std::chrono::milliseconds window{60'000};
  std::uint64_t window_bytes_min = std::uint64_t{64} << 10;
  // No try goes on after this time, so tries that begin after it fail.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::chrono::milliseconds idle{60'000};  // A connection that was idle for longer is not used again.
};

// `timeout`, or the time until the deadline if that is shorter; never negative.
std::chrono::milliseconds until_deadline(const HttpTimeouts& timeouts, std::chrono::milliseconds timeout);

// Compares ASCII text, as names of headers are compared.
bool equal_ignoring_case(std::string_view left, std::string_view right);

// True for 200 and 206: the body is the content that was requested.
bool is_content(int status);

// True if the same request may succeed later: the reply is not complete, unless is_permanent, or has a status such as
// 429 or 503. So it is also true if `receive` or body_bytes_max ended the request.
bool is_transient(const HttpReply& reply);

// The text with `...` in place of the secret, for error messages that quote a service.
std::string redacted(const std::string& text, const std::string& secret);

}  // namespace carrack::data
