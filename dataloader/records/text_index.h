// Reads and writes the text indexes of TFRecord files that NVIDIA DALI's tfrecord2idx makes, for `carrack data index
// --text`. Each record has one line with the offset and the size of its frame in bytes, such as "0 19\n19 25\n". A text
// index does not name the version of its file, so it is compared with the file. docs/formats/index.md.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"

namespace carrack::data {

// The message for a compressed file, which cannot have a text index.
inline constexpr const char* compressed_text_index =
    "it is compressed, and a text index is of files whose records lie in them as they are; leave out --text";

// Returns the text index with the records of `index`, which must be that of an uncompressed file.
std::string text_index_of(const Index& index);

// Checks a text index: reads `file`, builds its index with build_index() and compares each line of `text` with that.
// Returns the index if all lines match. build_index() verifies only the lengths of records: a record whose data does
// not match its checksum still gives an Index. Returns a message for the user if a line does not match, if a length is
// damaged, and for a file that is compressed, has changed or is no TFRecord file. Throws Error if the storage fails.
std::variant<Index, std::string> index_from_text(std::string_view text, const ByteSource& file);

}  // namespace carrack::data
