// The names of indexes, docs/formats/index.md, and of other files that describe the file next to them.
#pragma once

#include <string>

namespace carrack::data {

// Returns the same URL for all spellings of one object: a path becomes file:// and its absolute, normalized form, which
// depends on the current folder. Symbolic links are not resolved.
std::string canonical_url(const std::string& url);

// Returns the URL of the index that is next to a file. Also takes a pattern of files, and returns one of indexes.
std::string index_beside(const std::string& file);
// Returns the name that the index of a file, given by its URL, has in a folder of indexes.
std::string index_name(const std::string& file);

// Returns the URL of the file, next to `file`, with the names of its columns: docs/formats/columns.md.
std::string columns_beside(const std::string& file);

// Returns the file that an index, a text index or a file of column names of this name or URL describes; empty for any
// other name.
std::string described_file_name(const std::string& name);

}  // namespace carrack::data
