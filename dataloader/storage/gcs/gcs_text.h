// How Google Cloud Storage writes what it is told and tells: names in targets, checksums, ranges, and objects as JSON.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/storage/storage.h"

namespace carrack::data {

std::string percent_encoded(std::string_view text);

// A CRC-32C as 4 big-endian bytes in base64: "mnG7TA==".
std::string crc32c_text(std::uint32_t crc);
// The same out of an x-goog-hash header: "crc32c=mnG7TA==,md5=...".
std::optional<std::string> crc32c_text_from(const std::string& x_goog_hash);

// "bytes 0-99/1000", of a reply. Nothing if it says something else.
struct SentRange {
  std::uint64_t first = 0;
  std::uint64_t object_size = 0;
};
std::optional<SentRange> sent_range_from(const std::string& content_range);
// How much of an upload "bytes=0-524287" says is stored. Nothing if it says something else.
std::optional<std::uint64_t> stored_from(const std::string& range);

// What we read of https://cloud.google.com/storage/docs/json_api/v1/objects#resource. Nothing if it is none.
struct ObjectResource {
  std::string name;
  ObjectStat stat;
  std::string crc32c;
};
std::optional<ObjectResource> object_from(const std::string& json);
struct ObjectPage {
  std::vector<ObjectResource> objects;
  std::string next_page;  // Empty on the last.
};
std::optional<ObjectPage> page_from(const std::string& json);
// The reason in an error reply, or the body as it is.
std::string reason_from(const std::string& body);

// A multipart upload of bytes with their checksum.
struct Multipart {
  std::string content_type;
  std::string body;
};
Multipart multipart_from(std::span<const std::byte> bytes);

}  // namespace carrack::data
