#include "dataloader/credentials/service_url.h"

#include <algorithm>
#include <charconv>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

constexpr std::string_view name_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
constexpr std::string_view address_characters = "0123456789:";  // All that httplib takes in brackets.

bool is_port(std::string_view text) {
  int port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && stop == end && port > 0 && port < 65536;
}

bool is_host(std::string_view text) {
  const bool bracketed = text.starts_with('[') && text.ends_with(']') && text.size() > 2;
  if (bracketed) text = text.substr(1, text.size() - 2);
  return !text.empty() && text.find_first_not_of(bracketed ? address_characters : name_characters) == text.npos;
}

bool is_authority(std::string_view text) {
  const std::size_t colon = text.find(':', text.starts_with('[') ? text.find(']') : 0);
  return is_host(text.substr(0, colon)) && (colon == text.npos || is_port(text.substr(colon + 1)));
}

// Anything else in it could end the line of a request.
bool is_target(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127 && c != '#'; });
}

}  // namespace

ServiceUrl service_url_from(std::string_view text) {
  const bool known = text.starts_with("http://") || text.starts_with("https://");
  const std::size_t host = known ? text.find("://") + 3 : 0;
  const std::size_t end = std::min(text.find_first_of("/?", host), text.size());
  const std::string_view target = text.substr(end);
  if (!known || !is_authority(text.substr(host, end - host)) || !is_target(target)) {
    throw Refused("is no http:// or https:// address");
  }
  return {std::string(text.substr(0, end)), (target.starts_with('/') ? "" : "/") + std::string(target)};
}

std::string text_of(const ServiceUrl& url) {
  return url.endpoint + url.target.substr(0, url.target.find('?'));
}

}  // namespace carrack::data
