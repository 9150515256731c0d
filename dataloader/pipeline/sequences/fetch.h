// Reads records of indexed files, neighbours together, with one call of ByteSource::read() for each file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dataloader/indexes/indexed_file.h"
#include "dataloader/order/order.h"

namespace carrack::data {

struct RecordId {
  std::size_t file = 0;
  std::uint64_t record = 0;
  bool operator==(const RecordId&) const = default;
};

struct RecordRequest {
  RecordId id;
  std::size_t row = 0;                    // where the caller wants the record
  Index::Extent extent;                   // of its frame in the file
  std::span<const std::byte> frame = {};  // set by fetch(); valid only if it found no changed file
};

struct FetchResult {
  std::shared_ptr<std::byte[]> memory;  // that the frames point into
  // One of the requests given to fetch(), for a record of a file that has changed; nullptr if no file has. If it is
  // set, do not use the frames.
  const RecordRequest* changed = nullptr;
};

// Reads the records and sets the frame of each request. The requests must be sorted by file and offset. Records of a
// file with at most `gap_bytes_max` bytes between them are read together with these bytes. Throws an Error if storage
// fails.
FetchResult fetch(const std::vector<IndexedFile>& files, std::span<RecordRequest> requests,
                  std::uint64_t gap_bytes_max);

}  // namespace carrack::data
