#include "dataloader/storage/url.h"

#include "dataloader/error.h"

namespace carrack::data {
namespace {

constexpr std::string_view wildcards = "*?";

Url file_url(const std::string& text, std::string prefix) {
  const std::string path = text.substr(prefix.size());
  if (!prefix.empty() && !path.starts_with('/')) {
    throw Refused(text + ": a file URL has three slashes and no host; write file:///ABSOLUTE/PATH or a bare path");
  }
  return {"file", std::move(prefix), "", path};
}

Url bucket_url(const std::string& text, const std::string& scheme) {
  const std::size_t bucket = scheme.size() + 3;
  const std::size_t slash = text.find('/', bucket);
  if (slash == std::string::npos || slash == bucket || slash + 1 == text.size()) {
    throw Refused(text + ": names no object; write " + scheme + "://BUCKET/NAME");
  }
  return {scheme, text.substr(0, slash + 1), text.substr(bucket, slash - bucket), text.substr(slash + 1)};
}

// How many bytes of the name, which is UTF-8, one character of a pattern stands for; 0 if it does not match.
std::size_t bytes_taken(char wanted, std::string_view name) {
  if (name.empty() || (wanted == '?' ? name[0] == '/' : name[0] != wanted)) return 0;
  std::size_t taken = 1;
  if (wanted == '?') {
    while (taken < name.size() && (static_cast<unsigned char>(name[taken]) & 0xc0) == 0x80) ++taken;
  }
  return taken;
}

}  // namespace

Url url_from(const std::string& text) {
  if (text.empty()) throw Refused("the URL of an object is empty; write a path, file:///PATH or gs://BUCKET/NAME");
  const std::size_t colon = text.find("://");
  if (colon == std::string::npos || text.find('/') < colon) return file_url(text, "");
  const std::string scheme = text.substr(0, colon);
  return scheme == "file" ? file_url(text, "file://") : bucket_url(text, scheme);
}

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of(wildcards) != std::string_view::npos;
}

std::string_view fixed_prefix(std::string_view pattern) {
  return pattern.substr(0, pattern.find_first_of(wildcards));
}

// Goes back to the last `*` alone, or to the last `**` where that one may not grow, so the time is at most the product
// of the lengths for each kind: no pattern takes exponential time.
bool matches(std::string_view pattern, std::string_view name) {
  struct Star {
    std::size_t after = std::string_view::npos;  // In the pattern.
    std::size_t tried = 0;                       // In the name.
  };
  Star one, two;
  std::size_t p = 0;
  std::size_t n = 0;
  while (true) {
    if (pattern.substr(p).starts_with("**")) {
      p += 2;
      two = {p, n};
      one = {};
    } else if (p < pattern.size() && pattern[p] == '*') {
      one = {++p, n};
    } else if (p == pattern.size() && n == name.size()) {
      return true;
    } else if (const std::size_t taken = p < pattern.size() ? bytes_taken(pattern[p], name.substr(n)) : 0) {
      ++p;
      n += taken;
    } else if (one.after != std::string_view::npos && one.tried < name.size() && name[one.tried] != '/') {
      p = one.after;
      n = ++one.tried;
    } else if (two.after != std::string_view::npos && two.tried < name.size()) {
      p = two.after;
      n = ++two.tried;
      one = {};
    } else {
      return false;
    }
  }
}

}  // namespace carrack::data
