// Reads records of indexed files; records that are near each other share a read.
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
  Index::Extent extent;                   // where the record's frame lies in the file; set by the caller
  std::span<const std::byte> frame = {};  // set by fetch(); valid unless FetchResult::changed is set
};

struct FetchResult {
  std::shared_ptr<std::byte[]> memory;  // all frames point into it; it keeps them valid
  // One of the requests that were passed to fetch(), for a record of a file that has changed since it was opened;
  // nullptr if no file has. If it is set, the frames must not be used.
  const RecordRequest* changed = nullptr;
};

// Reads the records with one ByteSource::read() for each file, and sets the frame of each request. `requests` must be
// sorted by file and offset; `files` are indexed by RecordId::file. If at most `gap_bytes_max` bytes are between two
// records of a file, these bytes are read as well, to save a separate read. Throws an Error if storage fails.
FetchResult fetch(const std::vector<IndexedFile>& files, std::span<RecordRequest> requests,
                  std::uint64_t gap_bytes_max);

}  // namespace carrack::data
