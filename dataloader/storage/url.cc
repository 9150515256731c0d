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

// Returns how many bytes at the start of `name`, which is UTF-8, one byte of a pattern matches; 0 if it does not match.
// `?` matches a whole character except `/`. Any other byte matches the same byte.
std::size_t bytes_matched(char pattern, std::string_view name) {
  if (name.empty() || (pattern == '?' ? name[0] == '/' : name[0] != pattern)) return 0;
  std::size_t matched = 1;
  if (pattern == '?') {
    while (matched < name.size() && (static_cast<unsigned char>(name[matched]) & 0xc0) == 0x80) ++matched;
  }
  return matched;
}

std::size_t stars_in(std::string_view pattern) {
  std::size_t stars = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '*') continue;
    ++stars;
    if (i + 1 < pattern.size() && pattern[i + 1] == '*') ++i;
  }
  return stars;
}

}  // namespace

Url url_from(const std::string& text) {
  if (text.empty()) throw Refused("the URL of an object is empty; write a path, file:///PATH or gs://BUCKET/NAME");
  const std::size_t colon = text.find("://");
  if (colon == std::string::npos || text.find('/') < colon) return file_url(text, "");
  const std::string scheme = text.substr(0, colon);
  return scheme == "file" ? file_url(text, "file://") : bucket_url(text, scheme);
}

Url pattern_from(const std::string& text) {
  constexpr std::size_t stars_max = 16;
  Url pattern = url_from(text);
  if (stars_in(pattern.name) > stars_max)
    throw Refused(text + ": has more than " + std::to_string(stars_max) + " wildcards `*` or `**`; write fewer");
  return pattern;
}

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of(wildcards) != std::string_view::npos;
}

std::string_view fixed_prefix(std::string_view pattern) {
  return pattern.substr(0, pattern.find_first_of(wildcards));
}

// On a mismatch this goes back to the last `*`, and lets it match one byte more. If that byte is a `/`, which `*` does
// not match, this goes back to the last `**`. It never goes back to an earlier star, so no pattern takes exponential
// time.
bool matches(std::string_view pattern, std::string_view name) {
  struct Star {
    std::size_t after = std::string_view::npos;  // position in the pattern after the star; npos: no star
    std::size_t end = 0;                         // where the part of the name that the star matches ends
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
    } else if (const std::size_t matched = p < pattern.size() ? bytes_matched(pattern[p], name.substr(n)) : 0) {
      ++p;
      n += matched;
    } else if (one.after != std::string_view::npos && one.end < name.size() && name[one.end] != '/') {
      p = one.after;
      n = ++one.end;
    } else if (two.after != std::string_view::npos && two.end < name.size()) {
      p = two.after;
      n = ++two.end;
      one = {};
    } else {
      return false;
    }
  }
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

}  // namespace carrack::data
