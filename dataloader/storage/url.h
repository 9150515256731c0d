// The URLs of objects, as users type them. Names are taken literally: `%20` is three characters. Pure.
#pragma once

#include <string>
#include <string_view>

namespace carrack::data {

struct Url {
  std::string scheme;  // "file" for a bare path.
  std::string prefix;  // What stands before the name: "gs://bucket/", "file://", or nothing.
  std::string bucket;  // Empty for files.
  std::string name;    // The path of a file; of an object the name in its bucket.
  bool operator==(const Url&) const = default;
};

// Throws Error for what is no URL of an object.
Url url_from(const std::string& text);

// Whether `name` is one that `pattern` stands for; storage.h says what `?`, `*` and `**` are.
bool matches(std::string_view pattern, std::string_view name);
bool has_wildcard(std::string_view pattern);
// What a name must begin with to match.
std::string_view fixed_prefix(std::string_view pattern);

}  // namespace carrack::data
