// The names of indexes (docs/formats/index.md) and of other files that describe the file next to them.
#pragma once

#include <string>

namespace carrack::data {

// Returns the same URL for all spellings of one object: a path becomes file:// and its absolute, normalized form, which
// depends on the current folder. Symbolic links are not resolved. Throws Refused for a text that is not a URL.
std::string canonical_url(const std::string& url);

// Returns the URL of the index that is next to a file: URL.index. For a pattern of files, returns the pattern of their
// indexes.
std::string index_beside(const std::string& file);
// Returns the name that the index of the file with the URL `file` has in a folder of indexes: the SHA-256 of
// canonical_url(file) in hexadecimal digits, and ".index".
std::string index_name(const std::string& file);

// Returns the URL of the file with the names of the columns of `file`, which is next to it: URL.columns
// (docs/formats/columns.md).
std::string columns_beside(const std::string& file);

// Returns the name or URL of the file that `name` describes: `name` without its ending .index, .idx (a text index) or
// .columns. Returns an empty text for any other name.
std::string described_file_name(const std::string& name);

}  // namespace carrack::data
