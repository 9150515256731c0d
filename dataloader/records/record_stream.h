// An interface to read records one after another, many in each call. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "dataloader/records/byte_stream.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

struct Record {
  std::span<const std::byte> data;  // from a RecordReader: within its frame
  std::uint64_t offset = 0;         // of its frame in the file, or of its data in the output of a generator
};

// Consecutive good records, at least one; valid until the next call.
struct Records {
  std::uint64_t first = 0;  // the number of the first in its file
  std::span<const Record> records;
};

struct EndOfFile {};

class RecordStream {
 public:
  virtual ~RecordStream() = default;

  // Throws an Error if the storage fails.
  virtual std::variant<Records, EndOfFile, Corrupt> next() = 0;
  // Known after the first next().
  virtual Seek resume() const = 0;
};

}  // namespace carrack::data
