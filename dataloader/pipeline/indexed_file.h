// A TFRecord file together with where its records are.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

struct IndexedFile {
  std::unique_ptr<const ByteSource> source;
  Index index;
};

// All objects that match, in the order of their names, each with an index made now; perhaps none.
// The storage must outlive them.
std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(Storage& storage, const std::string& pattern);

}  // namespace carrack::data
