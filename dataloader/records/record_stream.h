// An interface to read records in order, many in each call. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "dataloader/records/byte_stream.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

struct Record {
  // If it comes from a RecordReader, the header and footer of its frame surround it in memory.
  std::span<const std::byte> data;
  std::uint64_t offset = 0;  // of its frame in the file, or of its data in all data of GeneratedRecords
};

// Consecutive good records, at least one; valid until the next call of next().
struct Records {
  std::uint64_t first = 0;  // the number of the first record in its file, from 0
  std::span<const Record> records;
};

struct EndOfFile {};

class RecordStream {
 public:
  virtual ~RecordStream() = default;

  // Returns records, the end (also at further calls), or a fault, after which the next call continues. Throws Error if
  // the storage fails.
  virtual std::variant<Records, EndOfFile, Corrupt> next() = 0;
  // What it takes to resume reading at a later record. Known after the first next().
  virtual Seek resume() const = 0;
};

}  // namespace carrack::data
