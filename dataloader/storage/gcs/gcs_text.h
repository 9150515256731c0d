// Parses and writes the texts of Google Cloud Storage's JSON API: object names in request targets, checksums and ranges
// in headers, and objects as JSON. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// Encodes a name for one segment of a URL: all bytes except ASCII letters, digits and `-._~`, so also `/`. "a b/c" ->
// "a%20b%2Fc".
std::string percent_encoded(std::string_view text);

// Returns the CRC-32C, in base64, of an x-goog-hash header such as "crc32c=mnG7TA==,md5=..."; nullopt if it has none.
std::optional<std::string> crc32c_base64_from(const std::string& x_goog_hash);

// Returns how many bytes of a resumable upload the server has stored, from the Range header of its reply:
// "bytes=0-524287" -> 524288. Returns nullopt for any other text.
std::optional<std::uint64_t> stored_bytes_from(const std::string& range);

// The fields of https://cloud.google.com/storage/docs/json_api/v1/objects#resource that are used here.
struct ObjectResource {
  std::string name;    // within its bucket; empty if it is missing
  ObjectStat stat;     // the version is the generation
  std::string crc32c;  // base64; empty if it is missing
};
// Parses a reply that describes one object. Returns nullopt if the text is not the JSON of an object with a size and a
// generation.
std::optional<ObjectResource> object_from(const std::string& json);
// One page of the reply to a list request.
struct ObjectPage {
  std::vector<ObjectResource> objects;
  std::string next_page;  // the token of the next page; empty on the last page
};
// Parses a page. Returns nullopt if the text is not the JSON of a page, or an object on it has no name, size or
// generation.
std::optional<ObjectPage> page_from(const std::string& json);
// Returns the reason for an error message: the message in the JSON of an error reply, or the first 200 bytes of the
// body if it has none. Empty for an empty body.
std::string reason_from(const std::string& body);

// The Content-Type and body of a multipart upload, which sends an object and its checksum in one request.
struct Multipart {
  std::string content_type;
  std::string body;
};
// Returns the upload of an object with these bytes, which are copied.
Multipart multipart_from(std::span<const std::byte> bytes);

}  // namespace carrack::data
