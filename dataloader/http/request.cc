#include "dataloader/http/request.h"

#include <algorithm>
#include <iterator>

namespace carrack::data {

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(left, right, {}, lower, lower);
}

std::chrono::milliseconds until_deadline(const HttpTimeouts& timeouts, std::chrono::milliseconds timeout) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::ceil<milliseconds>(timeouts.deadline - std::chrono::steady_clock::now());
  return std::clamp(timeout, milliseconds(0), std::max(left, milliseconds(0)));
}

std::optional<std::string> HttpReply::header(const std::string& name) const {
  std::optional<std::string> joined;
  for (const auto& [key, value] : headers) {
    if (equal_ignoring_case(key, name)) joined = joined ? *joined + ", " + value : value;
  }
  return joined;
}

bool is_content(int status) {
  return status == 200 || status == 206;
}

bool is_transient(const HttpReply& reply) {
  if (!reply.is_complete) return !reply.is_permanent;
  constexpr int transient[] = {408, 429, 500, 502, 503, 504};
  return std::ranges::find(transient, reply.status) != std::end(transient);
}

std::string redacted(const std::string& text, const std::string& secret) {
  if (secret.empty()) return text;
  std::string safe;
  std::size_t from = 0;
  for (std::size_t at = text.find(secret); at != text.npos; at = text.find(secret, from)) {
    safe += text.substr(from, at - from) + "...";
    from = at + secret.size();
  }
  return safe + text.substr(from);
}

}  // namespace carrack::data
