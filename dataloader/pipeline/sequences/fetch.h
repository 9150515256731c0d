// Reads records of indexed files, neighbours together, with one call of read() for each file.
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
  std::span<const std::byte> frame = {};  // valid only if fetch() found no changed file
};

struct FetchResult {
  std::shared_ptr<std::byte[]> memory;  // that the frames point into
  // A request for a record of a file that has changed, among those given to fetch(); nullptr if there is none. If it is
  // set, the frames are not to be used.
  const RecordRequest* changed = nullptr;
};

// Sets the frame of each request; they must be sorted by file and offset. Gaps of up to `gap_bytes_max` between records
// are read along, to save a read. Throws Error if storage fails.
FetchResult fetch(const std::vector<IndexedFile>& files, std::span<RecordRequest> requests,
                  std::uint64_t gap_bytes_max);

}  // namespace carrack::data
