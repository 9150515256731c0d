// Parses the URLs of files and objects as users type them, and matches the wildcards `?`, `*` and `**` in them.
//   url_from("gs://b/data/x") -> {"gs", "gs://b/", "b", "data/x"}
//   url_from("data/x")        -> {"file", "", "", "data/x"}
// Percent escapes are not decoded: `%20` in a name is three characters. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace carrack::data {

struct Url {
  std::string scheme;  // "file" also for a bare path
  std::string prefix;  // the text before the name: "gs://bucket/", "file://", or empty for a bare path
  std::string bucket;  // empty for files
  std::string name;    // the path of a file, or the name of an object in its bucket
  bool operator==(const Url&) const = default;
};

// Throws Refused for a text that is not the URL of an object: an empty text, file:// without an absolute path, or any
// other scheme without a bucket and a name in it. Accepts any scheme; Storages::for_url() refuses unknown ones. `*` and
// `?` are ordinary characters here.
Url url_from(const std::string& text);
// Parses a pattern in the same way. Only the wildcards in `name` count; a bucket is always literal. Also throws Refused
// for more than 16 stars in `name`, where `**` counts as one.
Url pattern_from(const std::string& text);

// Returns the URL or path of an object in a folder: in_folder("gs://b/run", "HEAD") -> "gs://b/run/HEAD". The folder
// may end with a slash. An empty folder means "/", not the current folder.
std::string in_folder(const std::string& folder, const std::string& name);

// True if the pattern matches the whole `name`; both are names or paths, not URLs. `?` matches one character except
// `/`, `*` any number of them, and `**` any number of any characters. Takes no exponential time: the number of steps is
// at most the product of the two lengths if the pattern has only `*` or only `**`, and the square of that if it has
// both.
bool matches(std::string_view pattern, std::string_view name);
// True if the pattern has a `*` or `?`.
bool has_wildcard(std::string_view pattern);
// Returns a view of the part of `pattern` before its first wildcard; all of it if there is none. Every name that
// matches the pattern begins with it.
std::string_view fixed_prefix(std::string_view pattern);

}  // namespace carrack::data
