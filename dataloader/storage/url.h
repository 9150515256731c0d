// The URLs of objects and the patterns of them, as users type them. Names are taken literally: `%20` is three
// characters. Pure.
#pragma once

#include <string>
#include <string_view>

namespace carrack::data {

struct Url {
  std::string scheme;  // "file" for a bare path
  std::string prefix;  // The text before the name: "gs://bucket/", "file://", or empty.
  std::string bucket;  // empty for files
  std::string name;    // the path of a file, or the name of an object in its bucket
  bool operator==(const Url&) const = default;
};

// Throws Refused for a text that is no URL of an object. Any scheme is accepted; Storages knows which there are.
Url url_from(const std::string& text);
// The same for a pattern. Also throws Refused for more than 16 stars, counting `**` as one: matching takes time.
Url pattern_from(const std::string& text);

// True if the pattern matches all of `name`; Storage::list() defines the wildcards. Takes at most the product of the
// lengths for each kind of star.
bool matches(std::string_view pattern, std::string_view name);
bool has_wildcard(std::string_view pattern);
// The part of a pattern before its first wildcard: all names that match begin with it.
std::string_view fixed_prefix(std::string_view pattern);

}  // namespace carrack::data
