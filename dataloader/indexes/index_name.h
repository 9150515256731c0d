// The names of the files that describe a data file x.tfrecord: its index x.tfrecord.index (docs/formats/index.md), a
// text index x.tfrecord.idx, and the names of its columns x.tfrecord.columns. Functions only compute names; they do not
// look whether a file exists.
#pragma once

#include <string>

namespace carrack::data {

// Returns the same URL for all spellings of one object: "x/../y" becomes "file:///data/y" if the current folder is
// /data. A gs:// URL does not change. Symbolic links are not resolved. Throws Refused for a text that is not a URL or
// path.
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

// The inverse: returns the name or URL of the file that `name` describes, which is `name` without its ending .index,
// .idx or .columns. Returns an empty text for any other name.
std::string described_file_name(const std::string& name);

}  // namespace carrack::data
