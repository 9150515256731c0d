// The names of indexes, docs/formats/index.md. Pure functions.
#pragma once

#include <string>

namespace carrack::data {

// The same URL for all spellings of one object: a file gets its scheme and its absolute path.
std::string canonical_url(const std::string& url);

// The URL of the index beside a file.
std::string index_beside(const std::string& file);
// The name of the index of a file in a folder of indexes.
std::string index_name(const std::string& file);

// The file that an index or text index of this name belongs to; empty if `name` is not that of an index.
std::string indexed_file_name(const std::string& name);

}  // namespace carrack::data
