#include "dataloader/storage/gcs/gcs_text.h"

#include <nlohmann/json.hpp>

#include "dataloader/crc32c.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

using nlohmann::json;

std::string string_or_empty(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<ObjectResource> object_from(const json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto size = number_in<std::uint64_t>(string_or_empty(object, "size"));
  const auto generation = number_in<std::uint64_t>(string_or_empty(object, "generation"));
  if (!size || !generation) return std::nullopt;
  return ObjectResource{
      string_or_empty(object, "name"), {*size, {std::to_string(*generation)}}, string_or_empty(object, "crc32c")};
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "-._~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string encoded;
  for (const char c : text) {
    if (plain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return encoded;
}

std::optional<std::string> crc32c_base64_from(const std::string& x_goog_hash) {
  constexpr std::string_view key = "crc32c=";
  const std::size_t at = x_goog_hash.find(key);
  if (at == std::string::npos) return std::nullopt;
  const std::string rest = x_goog_hash.substr(at + key.size());
  return rest.substr(0, rest.find_first_of(", "));
}

std::optional<std::uint64_t> stored_bytes_from(const std::string& range) {
  constexpr std::string_view start = "bytes=0-";
  if (!range.starts_with(start)) return std::nullopt;
  const auto last = number_in<std::uint64_t>(std::string_view(range).substr(start.size()));
  return last ? std::optional(*last + 1) : std::nullopt;
}

std::optional<ObjectResource> object_from(const std::string& text) {
  return object_from(json::parse(text, nullptr, false));
}

std::optional<ObjectPage> page_from(const std::string& text) {
  const json page = json::parse(text, nullptr, false);
  if (!page.is_object()) return std::nullopt;
  ObjectPage found{{}, string_or_empty(page, "nextPageToken")};
  const auto items = page.find("items");
  if (items == page.end()) return found;
  for (const json& item : *items) {
    std::optional<ObjectResource> object = object_from(item);
    if (!object || object->name.empty()) return std::nullopt;
    found.objects.push_back(std::move(*object));
  }
  return found;
}

std::string reason_from(const std::string& body) {
  constexpr std::size_t shown_max = 200;
  const json reply = json::parse(body, nullptr, false);
  if (reply.is_object() && reply.contains("error") && reply["error"].is_object()) {
    if (std::string reason = string_or_empty(reply["error"], "message"); !reason.empty()) return reason;
  }
  return body.substr(0, shown_max);
}

Multipart multipart_from(std::span<const std::byte> bytes) {
  const std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string boundary = "carrack";
  while (content.find(boundary) != std::string::npos) boundary += std::to_string(boundary.size());
  const json metadata{{"crc32c", crc32c_base64(crc32c(bytes))}};
  return {"multipart/related; boundary=" + boundary,
          "--" + boundary + "\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n" + metadata.dump() + "\r\n--" +
              boundary + "\r\nContent-Type: application/octet-stream\r\n\r\n" + content + "\r\n--" + boundary +
              "--\r\n"};
}

}  // namespace carrack::data
