#include "tests/support/gcs/gcs_request.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace carrack::tests {
namespace {

using nlohmann::json;
using Segments = std::vector<std::string_view>;

constexpr std::string_view boundary = "==carrack-multipart-7c1d5f0a9b3e4826==";

bool begins_with(const Segments& path, const Segments& prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

ObjectName name_at(const Segments& path, std::size_t bucket, std::size_t name) {
  return {percent_decoded(path[bucket]), percent_decoded(path[name])};
}

// upload/storage/v1/b/BUCKET/o
GcsRequest upload_request(const std::string& method, const Segments& path, const Fields& query) {
  GcsRequest request;
  if (path.size() < 6 || path[5] != "o") return request;
  request.object = {percent_decoded(path[4]), parameter(query, "name").value_or("")};
  const std::string type = parameter(query, "uploadType").value_or("");
  if (parameter(query, "upload_id")) {
    request.operation = method == "DELETE" ? Operation::cancel_upload : Operation::continue_upload;
  } else if (method == "POST" && type == "resumable") {
    request.operation = Operation::start_upload;
  } else if (method == "POST" && (type == "media" || type == "multipart")) {
    request.operation = Operation::insert;
  }
  return request;
}

// storage/v1/b/BUCKET/o/OBJECT[/compose | /rewriteTo/b/BUCKET/o/OBJECT | ...]
GcsRequest json_request(const std::string& method, const Segments& path, const Fields& query) {
  GcsRequest request;
  if (path.size() < 6 || path[4] != "o" || path[5].empty()) return request;
  request.object = name_at(path, 3, 5);
  if (path.size() == 6) {
    const bool media = parameter(query, "alt") == "media";
    if (method == "GET" || method == "HEAD")
      request.operation = media ? Operation::read_media : Operation::read_metadata;
    if (method == "DELETE") request.operation = Operation::remove;
    if (method == "PATCH" || method == "PUT") request.operation = Operation::patch;
  } else if (path.size() == 7 && path[6] == "compose") {
    request.operation = Operation::compose;
  } else if (path.size() == 11 && (path[6] == "rewriteTo" || path[6] == "copyTo")) {
    request.operation = Operation::copy;
    request.source = request.object;
    request.object = name_at(path, 8, 10);
  }
  return request;
}

// BUCKET/OBJECT, whose name may hold slashes as they are.
GcsRequest xml_request(const std::string& method, std::string_view path) {
  GcsRequest request;
  const std::size_t slash = path.find('/', 1);
  if (slash == std::string_view::npos || slash + 1 == path.size()) return request;
  request.object = {percent_decoded(path.substr(1, slash - 1)), percent_decoded(path.substr(slash + 1))};
  request.xml = true;
  if (method == "GET" || method == "HEAD") request.operation = Operation::read_media;
  if (method == "PUT") request.operation = Operation::insert;
  if (method == "DELETE") request.operation = Operation::remove;
  return request;
}

std::string content_type_of(const Fields& headers) {
  return header(headers, "Content-Type").value_or("application/octet-stream");
}

Insert xml_insert(const GcsRequest& gcs, const Fields& headers, std::string body) {
  json metadata{{"contentType", content_type_of(headers)}};
  for (const auto& [name, value] : headers) {
    constexpr std::string_view custom = "x-goog-meta-";
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (lower.starts_with(custom)) metadata["metadata"][lower.substr(custom.size())] = value;
  }
  add_hashes(metadata, header(headers, "x-goog-hash"));
  return {gcs.object, metadata, std::move(body)};
}

// The headers and the content of the part that begins after the n-th delimiter.
std::optional<std::pair<std::string_view, std::string_view>> part(std::string_view body, const std::string& delimiter,
                                                                  int number) {
  std::size_t at = 0;
  for (int i = 0; i <= number; ++i) {
    at = body.find(delimiter, at);
    if (at == std::string_view::npos) return std::nullopt;
    at += delimiter.size();
  }
  const std::size_t blank = body.find("\r\n\r\n", at);
  const std::size_t end = body.find("\r\n" + delimiter, blank);
  if (blank == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  return std::pair(body.substr(at, blank - at), body.substr(blank + 4, end - blank - 4));
}

std::optional<Insert> multipart_insert(const GcsRequest& gcs, const Fields& headers, std::string_view body) {
  const std::string type = content_type_of(headers);
  const std::size_t at = type.find("boundary=");
  if (at == std::string::npos) return std::nullopt;
  std::string mark = type.substr(at + 9, type.find(';', at) - at - 9);
  std::erase(mark, '"');
  const auto resource = part(body, "--" + mark, 0);
  const auto content = part(body, "--" + mark, 1);
  if (!resource || !content) return std::nullopt;
  json metadata = json::parse(resource->second, nullptr, false);
  if (!metadata.is_object()) return std::nullopt;
  Insert insert{gcs.object, metadata, std::string(content->second)};
  if (insert.object.name.empty()) insert.object.name = metadata.value("name", "");
  return insert;
}

}  // namespace

GcsRequest gcs_request_from(const std::string& method, const Target& target) {
  const Segments path = split(std::string_view(target.path).substr(1), '/');
  if (begins_with(path, {"upload", "storage", "v1", "b"})) return upload_request(method, path, target.query);
  if (begins_with(path, {"storage", "v1", "b"})) return json_request(method, path, target.query);
  if (begins_with(path, {"download", "storage", "v1", "b"})) {
    GcsRequest request;
    if (path.size() != 7 || (method != "GET" && method != "HEAD")) return request;
    request.operation = Operation::read_media;
    request.object = name_at(path, 4, 6);
    return request;
  }
  for (const std::string_view reserved : {"upload", "storage", "download", "batch", "_internal"}) {
    if (path.front() == reserved) return {};
  }
  return xml_request(method, target.path);
}

std::optional<Insert> insert_from(const GcsRequest& gcs, const Fields& query, const Fields& headers, std::string body) {
  if (gcs.xml) return xml_insert(gcs, headers, std::move(body));
  std::optional<Insert> insert;
  if (parameter(query, "uploadType") == "multipart") {
    insert = multipart_insert(gcs, headers, body);
  } else {
    insert = Insert{gcs.object, {{"contentType", content_type_of(headers)}}, std::move(body)};
  }
  if (!insert || insert->object.name.empty()) return std::nullopt;
  add_hashes(insert->metadata, header(headers, "x-goog-hash"));
  return insert;
}

Multipart to_multipart(const Insert& insert) {
  json metadata = insert.metadata;
  metadata["name"] = insert.object.name;
  const std::string mark(boundary);
  const std::string type = metadata.value("contentType", "application/octet-stream");
  std::string body = "--" + mark + "\r\nContent-Type: application/json\r\n\r\n" + metadata.dump() + "\r\n--" + mark +
                     "\r\nContent-Type: " + type + "\r\n\r\n";
  body.reserve(body.size() + insert.content.size() + mark.size() + 8);
  body += insert.content;
  body += "\r\n--" + mark + "--\r\n";
  return {"multipart/related; boundary=\"" + mark + "\"", std::move(body)};
}

void add_hashes(json& metadata, const std::optional<std::string>& x_goog_hash) {
  if (!x_goog_hash) return;
  for (std::string_view hash : split(*x_goog_hash, ',')) {
    hash.remove_prefix(std::min(hash.find_first_not_of(' '), hash.size()));
    if (hash.starts_with("crc32c=")) metadata["crc32c"] = hash.substr(7);
    if (hash.starts_with("md5=")) metadata["md5Hash"] = hash.substr(4);
  }
}

}  // namespace carrack::tests
