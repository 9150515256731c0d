// The index of DALI's tfrecord2idx, docs/formats/index.md: a line with offset and size for each record. It does not
// name the version of its file, so each line is compared with the file.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"

namespace carrack::data {

// Why a compressed file has none.
inline constexpr const char* compressed_text_index =
    "it is compressed, and a text index is of files whose records lie in them as they are; leave out --text";

// The file must not be compressed.
std::string text_index_of(const Index& index);

// Builds the index of the file and compares each line with it. Returns a sentence if they differ or the file is
// damaged.
std::variant<Index, std::string> index_from_text(std::string_view text, const ByteSource& file);

}  // namespace carrack::data
