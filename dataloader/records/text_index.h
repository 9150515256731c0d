// The index that DALI's tfrecord2idx makes, docs/formats/index.md: a line a record, its offset and its size. Nothing
// ties such a file to the records, so it is believed only as far as they bear it out.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"

namespace carrack::data {

std::string text_index_of(const Index& index);

// Or what is wrong with the text, or with the file: each line is held against the header of its record.
std::variant<Index, std::string> index_from_text(std::string_view text, const ByteSource& file);

}  // namespace carrack::data
