#include "operator/api_server/request.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "operator/core/printable.h"

namespace carrack::control {
namespace {

// Percent-encodes all characters except the unreserved ones of RFC 3986 and those in `unreserved`.
std::string encoded(std::string_view text, std::string_view unreserved) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || std::string_view("-._~").find(c) != std::string_view::npos ||
        unreserved.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return out;
}

// The number of bytes of an unexpected body that messages show, enough to recognise it.
constexpr std::size_t unknown_body_bytes = 200;

std::string text_at(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string to_target(const ApiRequest& request) {
  std::string target = encoded(request.path, "/");
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    target += separator + encoded(name, "") + "=" + encoded(value, "");
    separator = '&';
  }
  return target;
}

ApiStatus status_of(const ApiReply& reply) {
  const nlohmann::json object = nlohmann::json::parse(reply.body, nullptr, false);
  const std::string code = "HTTP " + std::to_string(reply.status);
  if (!object.is_object() || text_at(object, "kind") != "Status") {
    const std::string body = reply.body.substr(0, unknown_body_bytes);
    return {"", body.empty() ? code : code + ": " + printable(body)};
  }
  const std::string message = text_at(object, "message");
  return {text_at(object, "reason"), message.empty() ? code : printable(message)};
}

}  // namespace carrack::control
