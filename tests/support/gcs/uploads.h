// What one resumable upload has received, and what the next request means for it: the rules of
// https://cloud.google.com/storage/docs/performing-resumable-uploads. Pure.
//
// Until the last request the persisted length is a multiple of 256 KiB; bytes sent again are ignored; a request may be
// persisted only in part, and then the client must read in the reply how far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace carrack::tests {

constexpr std::uint64_t upload_quantum = std::uint64_t{256} * 1024;

// `bytes 0-99/*`, `bytes 100-149/150`; a status query, `bytes */*` or `bytes */150`, has no first and last.
struct ContentRange {
  struct Bytes {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool operator==(const Bytes&) const = default;
  };
  std::optional<Bytes> bytes;
  std::optional<std::uint64_t> total;
  bool operator==(const ContentRange&) const = default;
};

std::optional<ContentRange> content_range_from(std::string_view text);

struct Upload {
  std::string content;                 // What has been persisted.
  std::optional<std::uint64_t> total;  // From X-Upload-Content-Length or the first range that tells.
};

struct Incomplete {
  bool shortened = false;  // A limit kept bytes from being persisted.
  bool operator==(const Incomplete&) const = default;
};
struct Complete {
  bool operator==(const Complete&) const = default;
};
struct Refused {
  std::string why;
  bool operator==(const Refused&) const = default;
};
using Received = std::variant<Incomplete, Complete, Refused>;

// Takes in one request. Without a range the body is the whole object. `persist_at_most` limits what is kept of it.
Received receive(Upload& upload, const std::optional<ContentRange>& range, std::string_view body,
                 std::optional<std::uint64_t> persist_at_most);

// The value of the 308 reply's Range header; nothing persisted, no header.
std::optional<std::string> persisted_range(const Upload& upload);

}  // namespace carrack::tests
