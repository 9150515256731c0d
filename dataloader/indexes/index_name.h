// What the index of a file is called, docs/formats/index.md.
#pragma once

#include <string>

namespace carrack::data {

// One spelling of the URL of each object: that of a file has its scheme and its absolute path.
std::string canonical_url(const std::string& url);

std::string index_beside(const std::string& file);
// In a folder of indexes of any files.
std::string index_name(const std::string& file);

// What `name` would be the index of, in any form; empty where it is called otherwise.
std::string indexed_file_name(const std::string& name);

}  // namespace carrack::data
