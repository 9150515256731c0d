// What a request asks of an object store, read off its method and target, and the parts of an upload. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tests/support/gcs/http_text.h"

namespace carrack::tests {

enum class Operation {
  read_metadata,
  read_media,
  insert,  // uploadType=media or multipart; in the XML API, PUT.
  start_upload,
  continue_upload,
  cancel_upload,
  patch,  // PATCH and PUT of metadata.
  remove,
  copy,  // rewriteTo and copyTo.
  compose,
  other,  // Buckets, lists, access control: passed on.
};

struct ObjectName {
  std::string bucket;
  std::string name;
  bool operator==(const ObjectName&) const = default;
  auto operator<=>(const ObjectName&) const = default;
};

struct GcsRequest {
  Operation operation = Operation::other;
  ObjectName object;  // For a copy, the destination.
  ObjectName source;  // For a copy.
  bool xml = false;
  bool operator==(const GcsRequest&) const = default;
};

GcsRequest gcs_request_from(const std::string& method, const Target& target);

// An object about to be written.
struct Insert {
  ObjectName object;
  nlohmann::json metadata;  // An object resource: contentType, crc32c, md5Hash, metadata...
  std::string content;
};

// Nothing if the body is not what its headers and parameters say. `gcs` has the operation insert.
std::optional<Insert> insert_from(const GcsRequest& gcs, const Fields& query, const Fields& headers, std::string body);

// The body of a multipart upload, and its Content-Type.
struct Multipart {
  std::string content_type;
  std::string body;
};
Multipart to_multipart(const Insert& insert);

// Adds the checksums of an x-goog-hash header (`crc32c=...,md5=...`) to an object resource.
void add_hashes(nlohmann::json& metadata, const std::optional<std::string>& x_goog_hash);

}  // namespace carrack::tests
