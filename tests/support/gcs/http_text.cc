#include "tests/support/gcs/http_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace carrack::tests {
namespace {

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<Fields> headers_from(std::string_view lines) {
  Fields headers;
  for (const std::string_view line : split(lines, '\n')) {
    if (trimmed(line).empty()) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    headers.emplace_back(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return headers;
}

std::string lines_of(const Fields& headers) {
  std::string text;
  for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
  return text + "\r\n";
}

// The first line of a head, and the rest.
std::pair<std::string_view, std::string_view> first_line(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return {trimmed(text.substr(0, end)), text.substr(std::min(end + 1, text.size()))};
}

}  // namespace

std::optional<std::string> header(const Fields& headers, std::string_view name) {
  const auto found =
      std::ranges::find_if(headers, [&](const auto& field) { return same_but_for_case(field.first, name); });
  return found == headers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> parameter(const Fields& query, std::string_view name) {
  const auto found = std::ranges::find_if(query, [&](const auto& field) { return field.first == name; });
  return found == query.end() ? std::nullopt : std::optional(found->second);
}

void remove_header(Fields& headers, std::string_view name) {
  std::erase_if(headers, [&](const auto& field) { return same_but_for_case(field.first, name); });
}

std::optional<RequestHead> request_head_from(std::string_view text) {
  const auto [line, rest] = first_line(text);
  const std::vector<std::string_view> words = split(line, ' ');
  const std::optional<Fields> headers = headers_from(rest);
  if (words.size() != 3 || !words[2].starts_with("HTTP/1.") || !words[1].starts_with('/') || !headers) {
    return std::nullopt;
  }
  return RequestHead{std::string(words[0]), std::string(words[1]), *headers};
}

std::optional<ReplyHead> reply_head_from(std::string_view text) {
  const auto [line, rest] = first_line(text);
  const std::vector<std::string_view> words = split(line, ' ');
  const std::optional<Fields> headers = headers_from(rest);
  if (words.size() < 2 || !words[0].starts_with("HTTP/1.") || !headers) return std::nullopt;
  ReplyHead head{0, *headers};
  const auto [end, error] = std::from_chars(words[1].data(), words[1].data() + words[1].size(), head.status);
  if (error != std::errc() || end != words[1].data() + words[1].size()) return std::nullopt;
  return head;
}

std::string to_text(const RequestHead& head) {
  return head.method + " " + head.target + " HTTP/1.1\r\n" + lines_of(head.headers);
}

std::string to_text(const ReplyHead& head) {
  return "HTTP/1.1 " + std::to_string(head.status) + " -\r\n" + lines_of(head.headers);
}

Target target_from(std::string_view target) {
  const std::size_t question = std::min(target.find('?'), target.size());
  Target parsed{std::string(target.substr(0, question)), {}};
  if (question == target.size()) return parsed;
  for (const std::string_view pair : split(target.substr(question + 1), '&')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::string value(pair.substr(std::min(equals + 1, pair.size())));
    std::ranges::replace(value, '+', ' ');
    parsed.query.emplace_back(percent_decoded(pair.substr(0, equals)), percent_decoded(value));
  }
  return parsed;
}

std::string to_text(const Target& target) {
  std::string text = target.path;
  for (const auto& [name, value] : target.query) {
    text += (text.size() == target.path.size() ? "?" : "&") + percent_encoded(name) + "=" + percent_encoded(value);
  }
  return text;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr == text.data() + i + 3) {
      decoded += static_cast<char>(value);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return encoded;
}

std::optional<std::uint64_t> number_from(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && read_to == end ? std::optional(number) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace carrack::tests
