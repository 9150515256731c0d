// A request and what became of it. Pure.
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

// How much of the body of a reply that is no success is kept: enough for its message.
constexpr std::size_t error_body_bytes_max = std::size_t{64} << 10;

struct HttpReply {
  int status = 0;  // 0: no reply came, and nobody knows whether the request was carried out.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  bool whole = false;        // Else the connection ended in the body.
  std::string failure = {};  // Of the connection, in words.
  bool hopeless = false;     // It will fail in the same way when it is tried again.

  // Of a header that is there several times the values, with commas between.
  std::optional<std::string> header(const std::string& name) const;
};

// Brings bytes of a body that have come, at most so many, and does not wait: how many; 0 where there are none yet, or
// no more.
using ReadNow = std::function<std::size_t(std::span<std::byte> into)>;

struct HttpRequest {
  std::string method;
  std::string target;  // Path and query, percent-encoded.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  // Gets the body of a 200 or 206 piece by piece, each with the head that came before it; false ends the request. None:
  // the body goes to HttpReply::body.
  std::function<bool(const HttpReply& head, std::span<const std::byte> piece)> receive = {};
  // May have the next bytes of such a body, where its length was told, read to where they belong, without a copy
  // between; what it does not read goes to `receive`.
  std::function<void(const HttpReply& head, const ReadNow& read)> receive_in_place = {};
  // A body that goes to HttpReply::body and is longer ends the request. The longest are pages of a listing. Of a reply
  // that is no success only the first error_body_bytes_max are kept.
  std::size_t body_bytes_max = std::size_t{64} << 20;
  Stop* stop = nullptr;  // Lets another thread end the request.
};

// Limits of one try. Time that HttpRequest::receive takes counts as well.
struct HttpTimeouts {
  std::chrono::milliseconds silence{60'000};  // No byte went over.
  std::chrono::milliseconds connect{10'000};  // For finding the server's address, and again for connecting to it.
  // The try also fails if less than `window_bytes_min` went over in a `window`.
  std::chrono::milliseconds window{60'000};
  std::uint64_t window_bytes_min = std::uint64_t{64} << 10;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();  // Of all tries.
  std::chrono::milliseconds idle{60'000};  // A connection that was idle for longer is not used again.
};

// `timeout`, or the time until the deadline if that is shorter; never negative.
std::chrono::milliseconds until_deadline(const HttpTimeouts& timeouts, std::chrono::milliseconds timeout);

// As names in headers, and most words of HTTP, are compared.
bool same_but_for_case(std::string_view left, std::string_view right);

bool is_content(int status);

// Whether the same request may fare better later.
bool is_transient(const HttpReply& reply);

// With `...` in the place of a secret, for texts of those who were sent it.
std::string redacted(const std::string& text, const std::string& secret);

}  // namespace carrack::data
