// The names of indexes, docs/formats/index.md, and of other files that describe a file beside them. Pure functions.
#pragma once

#include <string>

namespace carrack::data {

// The same URL for all spellings of one object: a file gets its scheme and its absolute path.
std::string canonical_url(const std::string& url);

// The URL of the index beside a file.
std::string index_beside(const std::string& file);
// The name of the index of a file in a folder of indexes.
std::string index_name(const std::string& file);

// The URL of the file beside a file that has the names of its columns, docs/formats/columns.md.
std::string columns_beside(const std::string& file);

// The file that an index, a text index or a file of column names of this name belongs to; empty for another name.
std::string described_file_name(const std::string& name);

}  // namespace carrack::data
