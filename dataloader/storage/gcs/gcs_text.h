// The texts of Google Cloud Storage's JSON API: names in request targets, checksums, ranges, and objects as JSON. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/storage/storage.h"

namespace carrack::data {

std::string percent_encoded(std::string_view text);

// The checksum in an x-goog-hash header: "crc32c=mnG7TA==,md5=...". nullopt if there is none.
std::optional<std::string> crc32c_base64_from(const std::string& x_goog_hash);

// How many bytes of an upload are stored, from the Range header "bytes=0-524287". nullopt for anything else.
std::optional<std::uint64_t> stored_bytes_from(const std::string& range);

// The part that is used here of https://cloud.google.com/storage/docs/json_api/v1/objects#resource.
struct ObjectResource {
  std::string name;
  ObjectStat stat;
  std::string crc32c;  // base64; empty if it is missing
};
// nullopt if the text is no such JSON.
std::optional<ObjectResource> object_from(const std::string& json);
struct ObjectPage {
  std::vector<ObjectResource> objects;
  std::string next_page;  // Empty on the last.
};
std::optional<ObjectPage> page_from(const std::string& json);
// The message in the JSON of an error reply, or else the start of the body.
std::string reason_from(const std::string& body);

// A multipart upload of an object, with its checksum.
struct Multipart {
  std::string content_type;
  std::string body;
};
Multipart multipart_from(std::span<const std::byte> bytes);

}  // namespace carrack::data
