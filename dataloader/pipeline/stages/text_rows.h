// Rows of text files (CSV and JSON lines), for the stages in text_stages.h. There are two ways to read them, which
// return the same rows and errors:
// - a plain file by row_index() and parse_text(): each row is found by its offset, so any thread can parse it;
// - a compressed file by text_stream(), from front to back.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/pipeline/streams/stream.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"
#include "dataloader/sources/row_reader.h"

namespace carrack::data {

// A function that opens a text file with the options of its format, such as a CSV file with delimiter ';'. The reader
// begins at the place `from`; {} is the beginning of the file. Without features the reader finds rows, but reads no
// values. `file` must outlive the reader. Many threads may call it at the same time.
using OpenText = std::function<std::unique_ptr<RowReader>(const ByteSource& file, const std::vector<Feature>& features,
                                                          TextPlace from)>;

// Reads a whole file and returns the offsets at which rows begin, or the fault after which no further row can be found.
// Index::contents() is a checksum of the offsets, not of the rows.
std::variant<Index, Corrupt> row_index(const ByteSource& file, const OpenText& open);

// Returns a function that parses rows: it replaces the column "record", which has the text of each row, by a column for
// each feature. The rows must be found with row_index() and have origins. The function moves rows that cannot be parsed
// to Rows::lost, and throws an Error if a file has changed. A feature of Shape::padded becomes a list, because only a
// batch knows its longest list. `open` must open a text without a header. Set `quotes_span_rows` if a quoted value may
// contain line breaks, as in CSV. A row with an unclosed quote is then parsed separately, because it would otherwise
// take in the next row.
RowsFunction parse_text(OpenText open, std::vector<Feature> features, bool quotes_span_rows);

// Returns all rows of the files, one file after the other, with the features as in parse_text(). The state is the
// position of the next row.
StreamPtr text_stream(std::vector<std::shared_ptr<const ByteSource>> files, OpenText open,
                      std::vector<Feature> features);

}  // namespace carrack::data
