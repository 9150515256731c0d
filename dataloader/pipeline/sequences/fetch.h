// fetch(): reads some records of indexed TFRecord files, or rows of indexed text files, into one buffer. Those that are
// near each other in a file share a read. record_sequence() uses it for what it does not read through its BlockCache.
// Below, a record may also be a row of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dataloader/indexes/indexed_file.h"
#include "dataloader/order/order.h"

namespace carrack::data {

// The index of a file, and the number of a record in it, from 0.
struct RecordId {
  std::size_t file = 0;
  std::uint64_t record = 0;
  bool operator==(const RecordId&) const = default;
};

struct RecordRequest {
  RecordId id;
  std::size_t row = 0;                    // for the caller: not read or changed by fetch()
  Index::Extent extent;                   // where the record's frame (header, data, footer) or the row of text is; set
                                          // by the caller
  std::span<const std::byte> frame = {};  // set by fetch(); valid unless FetchResult::changed is set
};

struct FetchResult {
  std::shared_ptr<std::byte[]> memory;  // the buffer that all frames point into
  // nullptr if all records were read. Otherwise a file has changed since it was opened; this is one of the requests for
  // it, and no frame may be used.
  const RecordRequest* changed = nullptr;
};

// Reads the records with one ByteSource::read() for each file, and sets the frame of each request. Does not verify
// checksums. `requests` must be sorted by file and offset; RecordId::file is an index into `files`. If at most
// `gap_bytes_max` bytes are between two records of a file, these bytes are read as well, to save a separate request.
// Throws an Error if storage fails.
FetchResult fetch(const std::vector<IndexedFile>& files, std::span<RecordRequest> requests,
                  std::uint64_t gap_bytes_max);

}  // namespace carrack::data
