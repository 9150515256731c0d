// Files of rows in text: each row by its place, found by where it begins and parsed by whoever wants it; or, where
// files are compressed, in turn. Either way the same rows, and the same words for what is wrong with one.
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

// The file's rows as records without a frame, in memory; or what ends the file before its end.
std::variant<Index, Corrupt> row_index(const ByteSource& file, const OpenText& open);

// Replaces the column "record", of rows that were found so, by a column for each feature. `open` knows what stands
// before a file's first row. Where `may_run_on`, a row whose quotes are not closed would take in what follows it.
RowsFunction parse_text(OpenText open, std::vector<Feature> features, bool may_run_on);

// All rows of the files, in turn. Its state is the place of the next.
StreamPtr text_stream(std::vector<std::shared_ptr<const ByteSource>> files, OpenText open,
                      std::vector<Feature> features);

}  // namespace carrack::data
