// The text of HTTP/1.1 messages: heads, header fields and targets, parsed and written. Pure.
//
// A fault is a decision about the bytes on a connection (no answer at all, half a body, silence), which HTTP libraries
// rightly do not offer; so the proxy reads and writes messages itself. Parsing gives a value or nothing, never throws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carrack::tests {

using Fields = std::vector<std::pair<std::string, std::string>>;

// The value of the first field of that name; names of headers are compared without regard to case.
std::optional<std::string> header(const Fields& headers, std::string_view name);
// The same for query parameters, whose names are compared exactly.
std::optional<std::string> parameter(const Fields& query, std::string_view name);
// Removes every header of that name.
void remove_header(Fields& headers, std::string_view name);

struct Target {
  std::string path;  // As sent: still percent-encoded, because an encoded slash is part of an object's name.
  Fields query;      // Decoded.
  bool operator==(const Target&) const = default;
};

struct RequestHead {
  std::string method;
  std::string target;
  Fields headers;
};

struct ReplyHead {
  int status = 0;
  Fields headers;
};

// `text` ends with the blank line.
std::optional<RequestHead> request_head_from(std::string_view text);
std::optional<ReplyHead> reply_head_from(std::string_view text);
std::string to_text(const RequestHead& head);
std::string to_text(const ReplyHead& head);

Target target_from(std::string_view target);
std::string to_text(const Target& target);

std::string percent_decoded(std::string_view text);
// Everything but letters, digits and -._~ is encoded, a slash too.
std::string percent_encoded(std::string_view text);

// A decimal number and nothing else; nothing if it is too large.
std::optional<std::uint64_t> number_from(std::string_view text);

// The pieces of `text` between separators, empty ones too.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace carrack::tests
