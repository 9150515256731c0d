// Rows of text files: of plain files each row is found by its offset and parsed by whichever thread reads it;
// compressed files are read in turn. Rows and errors are the same either way.
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

using OpenText = std::function<std::unique_ptr<RowReader>(const ByteSource& file, const std::vector<Feature>& features,
                                                          TextPlace from)>;

// Reads a file once and returns where each row begins; or the fault after which no further row can be found.
std::variant<Index, Corrupt> row_index(const ByteSource& file, const OpenText& open);

// Replaces the column "record", which holds rows found with row_index(), by a column for each feature. `open` reads
// rows without a header. `quotes_span_rows`: a row with an unclosed quote would swallow the next one, so parse it by
// itself.
RowsFunction parse_text(OpenText open, std::vector<Feature> features, bool quotes_span_rows);

// All rows of the files. Its state is the position of the next row.
StreamPtr text_stream(std::vector<std::shared_ptr<const ByteSource>> files, OpenText open,
                      std::vector<Feature> features);

}  // namespace carrack::data
